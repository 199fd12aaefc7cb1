import Foundation
import PluginTestSupport
import Testing
import Threads

@testable import PluginChecks

/// Each fault is told apart from all others, and from none.
@Suite("Planted faults")
struct PlantedFaultTests {
    @Test func `a good plug-in has no finding at all`() throws {
        let result = try PlantedPlugin(nil).result()
        #expect(result.verdict == .safe)
        // A shared machine may be slow, which is no fault of the plug-in.
        #expect(result.kinds.subtracting([.late]).isEmpty, "\(result.findings)")
        #expect(result.claimsHardRealTime && !result.breaksClaim)
        #expect(result.latency?.declaredFrames == 0 && result.latency?.measuredFrames == 0)
        #expect(result.skippedPhases.isEmpty)
    }

    @Test(
        arguments: [
            ("ALLOCATION", FindingKind.allocation), ("LOCK", .lock), ("PRINT", .terminal), ("STACK", .stack),
            ("OVERRUN", .overrun), ("THREAD", .thread), ("SLEEP", .wait), ("FILE", .file),
        ])
    func `what may make a block late is a failure, by its own name`(fault: String, kind: FindingKind) throws {
        let result = try PlantedPlugin(fault).result()
        #expect(result.verdict == .notSafe && result.breaksClaim)
        #expect(result.failedKinds == [kind], "\(result.failures)")
    }

    @Test(
        arguments: [
            ("DENORMALS", FindingKind.denormals), ("NOT_FINITE", .nonFinite), ("OVERREAD", .overread),
            ("UNWRITTEN", .unwritten), ("FRESH_MEMORY", .freshMemory), ("LATENCY", .latency),
        ])
    func `what makes no block late by itself is a warning, by its own name`(fault: String, kind: FindingKind) throws {
        let result = try PlantedPlugin(fault).result()
        #expect(result.verdict == .safe)
        #expect(Set(result.warnings.map(\.finding)).subtracting([.late]) == [kind], "\(result.findings)")
    }

    @Test func `a lock that another thread holds is told apart from a free one`() throws {
        let result = try PlantedPlugin("CONTENDED_LOCK").result()
        #expect(result.verdict == .notSafe)
        #expect(
            result.failedKinds.contains(.contendedLock) && result.failedKinds.isSubset(of: [.contendedLock, .lock]))
    }

    @Test func `a raw system call is seen, or it is said that such calls are not`() throws {
        let result = try PlantedPlugin("RAW_CALL").result()
        if result.rawCallsAreSeen {
            #expect(result.verdict == .notSafe && result.failedKinds == [.systemCall])
            // It is in the plug-in, and not in the C library.
            #expect(result.failures.allSatisfy { $0.place?.library.hasSuffix("/planted.so") == true })
        } else {
            #expect(result.verdict == .safe)
            #if arch(x86_64)
                // Since Linux 5.11 they are seen.
                let isOld = !ProcessInfo.processInfo.isOperatingSystemAtLeast(
                    OperatingSystemVersion(majorVersion: 5, minorVersion: 11, patchVersion: 0))
                #expect(isOld)
            #endif
        }
    }

    /// The kernel shows some of them too, by a number, and others not at all.
    @Test(
        arguments: [
            ("alarm(0)", "alarm", FindingKind.systemCall),
            ("pthread_kill(pthread_self(), 0)", "pthread_kill", .systemCall),
            ("setitimer(ITIMER_REAL, &(struct itimerval){0}, NULL)", "setitimer", .systemCall),
            ("sched_setscheduler(0, SCHED_OTHER, &(struct sched_param){0})", "sched_setscheduler", .systemCall),
            ("sendmmsg(-1, NULL, 0, 0)", "sendmmsg", .systemCall),
            ("process_vm_readv(0, NULL, 0, NULL, 0, 0)", "process_vm_readv", .systemCall),
            ("pselect(0, NULL, NULL, NULL, &(struct timespec){0}, NULL)", "pselect", .wait),
            ("ppoll(NULL, 0, &(struct timespec){0}, NULL)", "ppoll", .wait),
            (
                "pthread_mutex_clocklock(&state->lock, CLOCK_MONOTONIC, &(struct timespec){0}), pthread_mutex_unlock(&state->lock)",
                "pthread_mutex_clocklock", .lock
            ),
            (
                "mtx_timedlock((mtx_t *)&state->lock, &(struct timespec){0}), pthread_mutex_unlock(&state->lock)",
                "mtx_timedlock", .lock
            ),
            ("fgetc(state->file)", "fgetc", .file), ("fseek(state->file, 0, SEEK_SET)", "fseek", .file),
            ("__fread_chk(&state->last, 4, 1, 4, state->file)", "__fread_chk", .file),
            ("getline(&state->memory, &(size_t){0}, state->file)", "__getdelim", .file),
            ("posix_fadvise(-1, 0, 0, 0)", "posix_fadvise", .file),
            ("(error(0, 0, \"planted\"), 0)", "error", .terminal),
        ])
    func `a function is known by its own name`(call: String, name: String, kind: FindingKind) throws {
        let result = try PlantedPlugin("DOES=\(call)").result()
        #expect(result.verdict == .notSafe && result.failedKinds == [kind], "\(result.failures)")
        #expect(result.failures.allSatisfy { $0.subject == name }, "\(result.failures)")
    }

    @Test(arguments: ["errx(3, \"planted\")", "error(3, 0, \"planted\")"])
    func `a function that prints and ends the process is an end of it`(call: String) throws {
        let result = try PlantedPlugin("DOES=(\(call), 0)").result()
        #expect(result.verdict == .notSafe && result.failedKinds == [.exit], "\(result.failures)")
        #expect(result.reason == "it ends the host's process in steady")
    }

    @Test func `a plug-in that becomes another program is not safe, where raw calls are seen`() throws {
        let result = try PlantedPlugin("DOES=execl(\"/bin/true\", \"true\", NULL)").result()
        #expect(result.reason == "its process ended with exit code 0, in steady")
        guard result.rawCallsAreSeen else { return #expect(result.verdict == .notJudged) }
        #expect(result.verdict == .notSafe && result.failedKinds == [.process], "\(result.failures)")
    }

    @Test func `what a C++ library inside the plug-in does is the plug-in's: it throws and prints`() throws {
        let result = try PlantedPlugin("THROW").result()
        #expect(result.verdict == .notSafe && result.failedKinds == [.allocation, .terminal], "\(result.failures)")
        #expect(result.failures.contains { $0.frames.contains { $0.function == "__cxa_allocate_exception" } })
    }

    @Test(
        arguments: [
            ("THROW_OUT", "parameters", "throws an exception out of run(), gain = 1"),
            ("THROW_EARLY", "instantiate", "throws an exception that it does not catch"),
        ])
    func `an exception that leaves the plug-in is told as one`(fault: String, phase: String, text: String) throws {
        let result = try PlantedPlugin(fault).result()
        let crash = try #require(result.findings.first { $0.finding == .crash })
        #expect(result.verdict == (fault == "THROW_OUT" ? .notSafe : .notJudged) && crash.text == text, "\(crash)")
        #expect(crash.phase == phase && crash.subject == "SIGABRT" && result.reason == "it crashes in \(phase)")
    }

    @Test(arguments: ["HANG", "HANG_BLOCKED", "HANG_ALARM"])
    func `a hang ends at the deadline, and says where, whatever signals are set to`(fault: String) throws {
        let result = try PlantedPlugin(fault).result(deadlineSeconds: 5)
        #expect(result.verdict == .notSafe && result.failedKinds == [.hang])
        #expect(result.reason == "it hangs in steady")
        #expect(result.failures.first?.place?.library.hasSuffix("/planted.so") == true)
    }

    @Test func `a timer of the plug-in's own is not the check's deadline`() throws {
        let result = try PlantedPlugin("TIMER").result()
        #expect(result.verdict == .safe && result.skippedPhases.isEmpty, "\(result.reason)")
    }

    @Test(.enabled(if: FileManager.default.fileExists(atPath: "/usr/share/i18n/locales/de_DE")))
    func `figures are read though the plug-in has set a locale with a comma`() throws {
        let planted = try PlantedPlugin("HANG_LOCALE")
        let words = ["localedef", "-i", "de_DE", "-f", "UTF-8", planted.bundle + "de_DE.UTF-8"]
        try #require(ChildProcess.answer(words, deadlineSeconds: 60) != nil)
        let result = try planted.result(deadlineSeconds: 5)
        // Some seconds, and a fraction.
        #expect(result.failedKinds == [.hang] && result.failures.allSatisfy { $0.amount > 1 }, "\(result.findings)")
    }

    @Test func `what only the first block does is told apart`() throws {
        let result = try PlantedPlugin("FIRST_BLOCK").result()
        #expect(result.verdict == .safeAfterFirstBlock && result.failedKinds == [.allocation])
    }

    @Test func `a finding has phase, count, function and line`() throws {
        let result = try PlantedPlugin("ALLOCATION").result()
        let steady = result.failures.filter { $0.phase == "steady" }
        #expect(Set(steady.map(\.subject)) == ["malloc", "free"])
        // Each fiftieth of 200 blocks.
        #expect(steady.allSatisfy { $0.count == 4 && $0.blocks == 4 })
        #expect(steady.first { $0.subject == "malloc" }?.amount == 100)
        #expect(steady.allSatisfy { $0.place?.source?.contains("planted.c:") == true }, "\(steady)")
    }

    @Test func `lines of source are no longer looked for once nobody waits for them`() throws {
        // Its library is read again.
        let planted = try PlantedPlugin("ALLOCATION")
        defer { withExtendedLifetime(planted) {} }
        var result = try planted.result()
        for index in result.findings.indices {
            for frame in result.findings[index].frames.indices {
                result.findings[index].frames[frame].source = nil
            }
        }
        let steady = result.failures.filter { $0.phase == "steady" }
        SourceLines.add(to: &result) { true }
        #expect(result.failures.filter { $0.phase == "steady" } == steady && !steady.isEmpty)
        // The same with time to wait.
        SourceLines.add(to: &result) { false }
        #expect(result.failures.contains { $0.place?.source?.contains("planted.c:") == true })
    }
}

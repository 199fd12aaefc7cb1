import Foundation
import Testing

@testable import SystemHealth

@Suite("An examination of a machine")
struct ExaminationTests {
    @Test func `where all is well nothing is found but that`() throws {
        let fixture = try MadeUpMachine()
        fixture.machine.answers = { $0 == "default" }
        let examination = Examination(fixture.machine)
        #expect(examination.findings.filter { $0.weight != .ok } == [])
        #expect(examination.isFit && examination.verdict == "This machine is fit for live sound.")
    }

    @Test func `what cannot be seen is said to be unseen, never to be well`() throws {
        let fixture = try MadeUpMachine()
        fixture.machine.root += "/nothing"
        fixture.machine.timerResolution = nil
        let examination = Examination(fixture.machine)
        let well = examination.findings.filter { $0.weight == .ok }.map(\.subject)
        // These two are asked of the library and of the file system, and not read from files.
        #expect(Set(well) == ["libjack", "shared memory"])
        #expect(examination.count(.unseen) >= 14)
        #expect(examination.verdict.contains("could not be seen"))
    }

    @Test func `where there is no card the verdict says so first`() throws {
        let fixture = try MadeUpMachine(["/proc/asound/cards": "--- no soundcards ---\n"])
        fixture.machine.answers = { $0 == "default" }
        let verdict = Examination(fixture.machine).verdict
        #expect(
            verdict.hasPrefix("This machine has no sound card. But for that it is fit for live sound"), "\(verdict)")
    }

    @Test func `the worst comes first, and the verdict counts`() throws {
        let fixture = try MadeUpMachine([
            "/proc/self/limits": MadeUpMachine.limits(priority: "0"),
            "/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor": "powersave\n",
            "/proc/swaps": "Filename\tType\tSize\tUsed\tPriority\n/dev/sda2 partition 100 2048 -2\n",
        ])
        fixture.machine.answers = { _ in true }
        let examination = Examination(fixture.machine)
        #expect(examination.findings.map(\.weight) == examination.findings.map(\.weight).sorted())
        #expect(examination.findings.prefix(3).map(\.weight) == [.problem, .warning, .note])
        #expect(!examination.isFit)
        #expect(
            examination.verdict == "This machine is not fit for live sound yet: 1 problem, 1 warning, 1 note.")
    }

    @Test func `warnings alone leave it fit, with reservations`() throws {
        let fixture = try MadeUpMachine([
            "/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor": "powersave\n"
        ])
        fixture.machine.answers = { _ in true }
        let examination = Examination(fixture.machine)
        #expect(examination.isFit)
        #expect(examination.verdict == "This machine is fit for live sound, with reservations: 1 warning.")
    }

    @Test func `every finding that is not well says why, and every one where it was read`() throws {
        for changes in [[:], ["/proc/asound/cards": nil, "/proc/500/stat": nil] as [String: String?]] {
            let fixture = try MadeUpMachine(changes)
            for finding in Examination(fixture.machine).findings {
                #expect(finding.statement.hasSuffix(".") && !finding.reason.isEmpty && !finding.sources.isEmpty)
                for step in finding.remedy { #expect(step.advice.value != nil || step.text.value != nil) }
            }
        }
    }

    @Test func `numbers that no kernel counts up to end nothing`() throws {
        for most in ["\(Int.max)", "\(Int.min)", "99999999999999999999", "inf", "nan", "-1"] {
            let fields = ["S"] + Array(repeating: most, count: 49)
            let fixture = try MadeUpMachine([
                "/proc/500/stat": "500 (jackd) " + fields.joined(separator: " "),
                "/proc/40/task/41/stat": "40 (irq/33-snd_hda) " + fields.joined(separator: " "),
                "/proc/stat": "cpu" + String(repeating: " \(most)", count: 10) + "\n",
                "/proc/swaps": "Filename\n" + String(repeating: "/dev/sda partition \(most) \(most) 1\n", count: 3),
                "/proc/sys/vm/swappiness": most, "/proc/uptime": most, "/proc/self/timerslack_ns": most,
                "/proc/sys/kernel/sched_rt_runtime_us": most, "/proc/sys/kernel/sched_rt_period_us": most,
                "/sys/devices/system/cpu/intel_pstate/no_turbo": most, "/sys/fs/cgroup/user.slice/memory.max": most,
                "/proc/self/limits": MadeUpMachine.limits(priority: most, memory: most),
            ])
            fixture.machine.answers = { _ in true }
            #expect(Examination(fixture.machine).findings.count > 15, "\(most)")
        }
    }

    @Test func `it changes no file, and asks no program where no PipeWire runs`() throws {
        let fixture = try MadeUpMachine()
        fixture.machine.ask = { words in
            Issue.record("it has asked \(words)")
            return nil
        }
        let before = fixture.contents
        _ = Examination(fixture.machine)
        #expect(fixture.contents == before && before.count > 30)
    }

    @Test func `the machine that runs is looked at without a finding twice the same`() {
        let findings = Examination(.running).findings
        #expect(Set(findings.map { "\($0.subject) \($0.statement)" }).count == findings.count)
    }
}

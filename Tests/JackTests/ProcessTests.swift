import Foundation
import Jack
import Synchronization
import TestSupport
import Testing
import Threads

/// What other processes see of us, from a process of its own each.
@Suite(.serialized, .ownServers)
struct ProcessTests {
    @Test func libjacksOwnNoiseIsNotOnTheTerminal() async throws {
        let result = try await #require(
            processExitsWith: .success, observing: [\.standardErrorContent, \.standardOutputContent]
        ) {
            #expect(openingError("lonely", "nobody-started-this")?.kind == .noServer)
            let server = try Server()
            let client = try Client(name: "quiet", server: server.name)
            #expect(openingError("quiet", server.name, permitsRenaming: false)?.kind == .nameTaken)
            let active = try client.activate()
            _ = failure { () throws(JackError) in try active.connect("a", to: "b") }
            server.signal(SIGKILL)
            try await eventually("the shutdown") { active.hasShutDown }
            try active.close()
            #expect(!LibJack.messages.isEmpty)
        }
        #expect(text(result.standardErrorContent) == "")
        #expect(text(result.standardOutputContent) == "")
    }

    @Test func aServerEndsWithAProcessThatIsKilled() async throws {
        let result = try await #require(
            processExitsWith: .signal(SIGKILL), observing: [\.standardOutputContent]
        ) {
            let server = try Server()
            let client = try Client(name: "doomed", server: server.name).activate()
            let segments = Belongings.segments(of: server.processIdentifier).map(String.init).joined(separator: " ")
            let facts = "\(server.processIdentifier) \(server.name) \(segments)"
            try FileHandle.standardOutput.write(contentsOf: Data(facts.utf8))
            kill(getpid(), SIGKILL)
            try client.close()
        }
        let said = text(result.standardOutputContent).split(separator: " ")
        let process = try #require(said.first.flatMap { pid_t($0) })
        let name = String(try #require(said.dropFirst().first))
        let segments = Set(said.dropFirst(2).compactMap { UInt64($0) })
        #expect(!segments.isEmpty)
        try await eventually("the server of a killed process is gone") { isGone(process) }
        // What jackd itself does not remove, the next server does.
        try Server().stop()
        #expect(Belongings.sharedMemory(of: name).isEmpty)
        #expect(Belongings.remaining(of: segments).isEmpty)
    }

    @Test func aServerEndsWithAProcessThatExits() async throws {
        let result = try await #require(processExitsWith: .success, observing: [\.standardOutputContent]) {
            let server = try Server()
            try FileHandle.standardOutput.write(contentsOf: Data("\(server.processIdentifier)".utf8))
            exit(0)
        }
        let process = try #require(pid_t(text(result.standardOutputContent)))
        try await eventually("the server of a process that exited is gone") { isGone(process) }
    }

    @Test func twoProcessesAreOnTwoServersAtOnce() async throws {
        let server = try Server()
        let client = try Client(name: "here", server: server.name)
        try await #require(processExitsWith: .success) {
            var configuration = ServerConfiguration()
            configuration.sampleRate = 44100
            let server = try Server(configuration)
            let client = try Client(name: "here", server: server.name, permitsRenaming: false)
            let rate = client.sampleRate
            #expect(rate == 44100)
        }
        let rate = client.sampleRate
        #expect(rate == 48000)
        try client.close()
    }

    @Test(arguments: ["", "/nowhere"]) func aMissingJackdIsAnErrorThatNamesThePackage(path: String) async {
        await #expect(processExitsWith: .success) { [path] in
            setenv("PATH", path, 1)
            let error = startingError()
            #expect(error?.kind == .programMissing)
            #expect(error?.description.contains("apt-get install jackd2") == true)
        }
    }

    @Test(arguments: [
        ("echo oops; exit 3", "jackd ended at once (exit status 3); it said: oops"),
        ("echo busy; exec sleep 1000", "jackd does not answer; it said: busy"),
        // The sleeps stand for a server that never answers; it is killed, with what it has started, after a patience of 1 s. Here a
        // child of it has the output open too.
        ("sleep 1000 & echo busy; exec sleep 1000", "jackd does not answer; it said: busy"),
        // Twice, and no third time.
        (
            "echo >> ${0%/*}/starts; wc -l < ${0%/*}/starts; kill -BUS $$",
            "jackd ended at once (signal 7); it said: 2"
        ),
    ])
    func aServerThatDoesNotComeUpIsAnErrorThatQuotesIt(script: String, reason: String) async {
        await #expect(processExitsWith: .success) { [script, reason] in
            try expectFailure(ofJackd: script, reason)
        }
    }

    /// What another program was about to make or to remove in shared memory is met once.
    @Test func aServerThatMeetsAShortFileIsStartedOnceMore() async {
        await #expect(processExitsWith: .success) {
            let script = "[ -e ${0%/*}/met ] && exec /usr/bin/jackd \"$@\"; touch ${0%/*}/met; kill -BUS $$"
            try withJackd(script) {
                let server = try Server()
                #expect(server.isRunning)
                server.stop()
                #expect(!server.isRunning && Belongings.sharedMemory(of: server.name).isEmpty)
            }
        }
    }

    @Test func howAServerEndedIsNotKnownWhereTheKernelKeepsNothingOfAChild() async {
        await #expect(processExitsWith: .success) {
            signal(SIGCHLD, SIG_IGN)
            try expectFailure(
                ofJackd: "echo oops; exit 3",
                "jackd ended at once (how is not known, because SIGCHLD is ignored); it said: oops")
            let server = try Server()
            let process = server.processIdentifier
            server.stop()
            #expect(!server.isRunning && isGone(process))
            #expect(Belongings.sharedMemory(of: server.name).isEmpty)
        }
    }

    @Test func aSignalIsNoSilenceOfAServer() async {
        await #expect(processExitsWith: .success) {
            signal(SIGUSR1) { _ in }
            let path = FileManager.default.temporaryDirectory.appending(path: "door-\(getpid())").path
            let door = try #require(listener(at: path))
            defer {
                close(door)
                unlink(path)
            }
            setenv("PIPEWIRE_REMOTE", path, 1)
            let caller = Mutex<pthread_t?>(nil)
            let heard = Mutex<Knock?>(nil)
            let worker = try Worker("caller") {
                caller.withLock { $0 = pthread_self() }
                let knock = PipeWireSocket.knock(patienceMilliseconds: 60_000)
                heard.withLock { $0 = knock }
            }
            // Once it is let in it waits for the answer.
            let deadline = MonotonicClock.nanoseconds() + 20_000_000_000
            try #require(InputWait.wait(for: [door], untilNanoseconds: deadline), "nobody knocks")
            let visitor = accept(door, nil, nil)
            let thread = try #require(caller.withLock { $0 })
            for _ in 0..<50 where !worker.isFinished {
                pthread_kill(thread, SIGUSR1)
                MonotonicClock.sleep(milliseconds: 1)
            }
            // Whatever is said in return is an answer.
            send(visitor, [1], 1, CInt(MSG_NOSIGNAL))
            worker.join()
            close(visitor)
            #expect(heard.withLock { $0 } == .answered)
        }
    }

    @Test func aServerThatAllUsersShareAnswersToo() async {
        await #expect(processExitsWith: .success) {
            setenv("JACK_PROMISCUOUS_SERVER", "", 1)
            let server = try Server()
            #expect(openingError("guest", server.name) == nil)
            server.stop()
            #expect(Belongings.sharedMemory(of: server.name).isEmpty)
        }
    }

    @Test func aServerOtherThanTheDefaultIsChosenByTheEnvironment() async {
        await #expect(processExitsWith: .success) {
            let server = try Server()
            setenv("JACK_DEFAULT_SERVER", server.name, 1)
            #expect(openingError("guest", nil) == nil)
            setenv("JACK_DEFAULT_SERVER", "nobody-started-this", 1)
            #expect(openingError("guest", nil)?.kind == .noServer)
        }
    }

    private func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }
}

/// What comes of a start where this script is in jackd's place.
private func expectFailure(ofJackd script: String, _ reason: String) throws {
    try withJackd(script) {
        // An end is seen when it comes; a silence lasts as long as the patience.
        let patience = reason.contains("does not answer") ? 4000 : 20_000
        let error = failure { () throws(JackError) in _ = try Server(patience: patience) }
        #expect(error == JackError(.serverFailed, "start a private JACK server", reason))
    }
}

/// Has a script take the place of jackd. The search path is afterwards as before.
private func withJackd(_ script: String, _ body: () throws -> Void) throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "jackd-\(getpid())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let program = folder.appending(path: "jackd").path
    try "#!/bin/sh\n\(script)\n".write(toFile: program, atomically: true, encoding: .utf8)
    chmod(program, 0o755)
    let path = Environment["PATH"] ?? "/usr/bin:/bin"
    setenv("PATH", "\(folder.path):/usr/bin:/bin", 1)
    defer { setenv("PATH", path, 1) }
    try body()
}

/// A socket at which somebody may knock, or `nil` where it cannot be made.
private func listener(at path: String) -> CInt? {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
    let door = socket(AF_UNIX, CInt(SOCK_STREAM.rawValue), 0)
    let isBound = withUnsafePointer(to: &address) { address in
        address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
            bind(door, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
        }
    }
    return isBound && listen(door, 1) == 0 ? door : nil
}

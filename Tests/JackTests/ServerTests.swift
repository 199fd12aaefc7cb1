import Glibc
import Jack
import TestSupport
import Testing

@Suite(.serialized, .ownServers)
struct ServerTests {
    @Test func aServerRunsAsConfigured() throws {
        var configuration = ServerConfiguration()
        configuration.sampleRate = 44100
        configuration.periodFrames = 63
        configuration.captureChannels = 3
        configuration.playbackChannels = 0
        configuration.isSync = true
        configuration.isRealtime = false
        let server = try Server(configuration)
        let client = try Client(name: "guest", server: server.name)
        #expect([client.sampleRate, client.periodFrames] == [44100, 63])
        let isRealtime = client.isRealtime
        #expect(!isRealtime)
        #expect(try client.ports().map(\.name) == ["system:capture_1", "system:capture_2", "system:capture_3"])
        try client.close()
        #expect(server.log.contains { $0.contains("jackdmp") })
    }

    @Test(arguments: [\ServerConfiguration.sampleRate, \.periodFrames, \.captureChannels, \.playbackChannels])
    func aConfigurationOutOfRangeIsAnInvalidRequest(field: any WritableKeyPath<ServerConfiguration, Int> & Sendable) {
        for value in [-1, 1_000_000] {
            var configuration = ServerConfiguration()
            configuration[keyPath: field] = value
            #expect(startingError(configuration)?.kind == .invalidRequest)
        }
    }

    @Test func stopEndsTheServerAndLeavesNothingInSharedMemory() async throws {
        let server = try Server()
        let process = server.processIdentifier
        let segments = Belongings.segments(of: process)
        #expect(server.isRunning && !segments.isEmpty)
        #expect(Belongings.remaining(of: segments) == segments)
        #expect(!Belongings.sharedMemory(of: server.name).isEmpty)
        server.stop()
        #expect(!server.isRunning)
        #expect(isGone(process))
        #expect(Belongings.sharedMemory(of: server.name).isEmpty)
        #expect(Belongings.remaining(of: segments).isEmpty)
        server.stop()
    }

    @Test func aServerEndsWithTheValue() throws {
        let process = try Server().processIdentifier
        #expect(isGone(process))
    }

    @Test(arguments: [SIGKILL, SIGTERM])
    func aServersEndIsAShutdownAndTheClientCanBeClosed(signal: Int32) async throws {
        let server = try Server()
        let silent = try Client(name: "bereft", server: server.name)
        let log = NotificationLog(of: silent)
        let stream = silent.notifications()
        let probe = CycleProbe()
        try probe.attach(to: silent)
        let active = try silent.activate()
        let idle = try Client(name: "idle", server: server.name)
        let idleLog = NotificationLog(of: idle)
        try await eventually("a cycle") { probe.cycles > 0 }

        server.signal(signal)
        try await eventually("the active client is told of the shutdown") { log.hasShutdown }
        try await eventually("the idle client is told of the shutdown") { idleLog.hasShutdown }
        let hasShutDown = active.hasShutDown
        #expect(hasShutDown)
        let refused = failure { () throws(JackError) in try active.connect("a", to: "b") }
        #expect(refused?.kind == .serverGone)

        var streamed: [Notification] = []
        for await notification in stream { streamed.append(notification) }
        #expect(streamed == log.all, "the stream ends after the shutdown")
        #expect(streamed.last == .shutdown(reason: "JACK server has been closed"))
        var late: [Notification] = []
        for await notification in active.notifications() { late.append(notification) }
        #expect(late.count == 1, "a stream that is made after the shutdown holds it, and ends")
        #expect(NotificationLog(of: active).hasShutdown, "and so does a handler")
        try active.close()
        try idle.close()
    }

    @Test func aKilledServerLeavesNothingInSharedMemoryAndKeepsNoPlace() async throws {
        // JACK has eight places for servers.
        for _ in 0..<9 {
            let server = try Server()
            let client = try Client(name: "bereft", server: server.name).activate()
            let segments = Belongings.segments(of: server.processIdentifier)
            #expect(!segments.isEmpty)
            server.signal(SIGKILL)
            try await eventually("the server is gone") { !server.isRunning }
            #expect(Belongings.sharedMemory(of: server.name).isEmpty)
            #expect(Belongings.remaining(of: segments).isEmpty)
            try client.close()
        }
    }

    @Test func aClientFromBeforeTheServersEndMustBeClosedBeforeAnotherIsOpened() async throws {
        let first = try Server()
        let old = try Client(name: "old", server: first.name).activate()
        first.signal(SIGKILL)
        try await eventually("the shutdown") { old.hasShutDown }
        #expect(openingError("new", first.name)?.kind == .serverGone)
        try old.close()
        #expect(openingError("new", first.name)?.kind == .noServer)
        let second = try Server()
        #expect(openingError("new", second.name) == nil)
    }

    @Test func aProcessIsOnOneServerAtATime() throws {
        let first = try Server()
        let second = try Server()
        #expect(first.name != second.name)
        let client = try Client(name: "here", server: first.name)
        let error = openingError("there", second.name)
        #expect(error?.kind == .invalidRequest)
        #expect(error?.description.contains(first.name) == true)
        try client.close()
        #expect(openingError("there", second.name) == nil)
    }

    @Test func twoServersAreStartedAtOnceByTwoThreads() async throws {
        async let first = Server()
        async let second = Server()
        let names = try await Set([first.name, second.name])
        #expect(names.count == 2)
    }

    @Test func aStoppedServerIsNotWaitedForHoweverManyKnock() throws {
        let server = try Server()
        defer { server.signal(SIGCONT) }
        try server.freeze()
        // More than jackd lets wait at its door, where a further one would wait for ever.
        for _ in 0..<120 {
            #expect(!ServerSocket.answers(serverName: server.name, patienceMilliseconds: 0))
        }
    }

    @Test func withoutAServerTheErrorSaysWhatToDo() {
        let error = openingError("lonely", "nobody-started-this")
        #expect(error?.kind == .noServer)
        #expect(
            error?.description
                == "cannot open a client named lonely: no JACK server \"nobody-started-this\" is running; "
                + "start one with jackd")
    }

    @Test(arguments: ["", String(repeating: "s", count: 3000)])
    func aServersNameThatJackCannotKeepIsAnInvalidRequest(name: String) {
        #expect(openingError("lonely", name)?.kind == .invalidRequest)
    }
}

func startingError(_ configuration: ServerConfiguration = ServerConfiguration()) -> JackError? {
    failure { () throws(JackError) in try Server(configuration).stop() }
}

func isGone(_ process: pid_t) -> Bool { kill(process, 0) != 0 && errno == ESRCH }

import TestSupport
import Testing

@testable import Jack

@Suite(.serialized, .privateServer())
struct ClientTests {
    @Test func aClientHasTheNameItAskedForAndTheServersFacts() throws {
        let client = try Client(name: "facts", server: PrivateServer.name)
        #expect([client.name, client.requestedName] == ["facts", "facts"])
        #expect([client.sampleRate, client.periodFrames] == [48000, 64])
        let hasShutDown = client.hasShutDown
        #expect(!hasShutDown)
    }

    @Test func aSecondClientOfTheSameNameIsRenamedAndSaysSo() throws {
        let first = try Client(name: "twin", server: PrivateServer.name)
        let second = try Client(name: "twin", server: PrivateServer.name)
        let names = [first.name, second.name, second.requestedName]
        #expect(names[0] == "twin")
        #expect(names[1] != "twin")
        #expect(names[2] == "twin")
    }

    @Test func renamingIsRefusedOnRequest() throws {
        let first = try Client(name: "only", server: PrivateServer.name)
        let error = openingError("only", PrivateServer.name, permitsRenaming: false)
        #expect(error?.kind == .nameTaken)
        #expect(
            error?.description
                == "cannot open a client named only: another client has that name; choose another, or let JACK rename "
                + "this one")
        try first.close()
        #expect(openingError("only", PrivateServer.name, permitsRenaming: false) == nil)
    }

    @Test(arguments: ["", "a:b", String(repeating: "n", count: Client.longestName + 1)])
    func aNameThatJackCannotKeepIsAnInvalidRequest(name: String) {
        #expect(openingError(name, PrivateServer.name)?.kind == .invalidRequest)
    }

    @Test func theLongestNameIsKeptWhole() throws {
        let name = String(repeating: "n", count: Client.longestName)
        let client = try Client(name: name, server: PrivateServer.name)
        #expect([client.name] == [name])
    }

    @Test func anActiveClientIsCalledInEachCycleWithThePeriodAndAFrameTimeThatAdvances() async throws {
        let probe = CycleProbe()
        let client = try Client(name: "cycles", server: PrivateServer.name)
        let log = NotificationLog(of: client)
        try probe.attach(to: client)
        #expect(probe.cycles == 0)
        let active = try client.activate()
        try await eventually("100 cycles") { probe.cycles >= 100 }
        #expect(probe.frames == 64)
        // A client that is late by two periods is called twice in one cycle of the server, and that is an xrun.
        try await eventually("time goes on, or the client was late") { probe.stepsNotForward == 0 || log.xruns > 0 }
        try active.close()
    }

    @Test func noCycleComesAfterTheClose() async throws {
        let closed = CycleProbe()
        let client = try Client(name: "closed", server: PrivateServer.name)
        try closed.attach(to: client)
        let active = try client.activate()
        try await eventually("a cycle") { closed.cycles > 0 }
        try active.close()
        let cycles = closed.cycles

        let other = CycleProbe()
        let otherClient = try Client(name: "other", server: PrivateServer.name)
        try other.attach(to: otherClient)
        let otherActive = try otherClient.activate()
        try await eventually("20 cycles of another client") { other.cycles >= 20 }
        #expect(closed.cycles == cycles)
        try otherActive.close()
    }

    @Test func theAudioThreadFlushesDenormalsToZero() async throws {
        let probe = CycleProbe()
        let client = try Client(name: "denormals", server: PrivateServer.name)
        try probe.attach(to: client)
        let active = try client.activate()
        try await eventually("a cycle") { probe.cycles > 0 }
        #expect(probe.denormalProduct == 0)
        #expect(CycleProbe.denormalProductHere != 0, "on this thread the same product is no zero")
        try active.close()
    }

    @Test func theAudioThreadsSchedulingIsKnownWhileItRuns() async throws {
        let probe = CycleProbe()
        let client = try Client(name: "scheduling", server: PrivateServer.name)
        try probe.attach(to: client)
        let active = try client.activate()
        try await eventually("a cycle") { probe.cycles > 0 }
        let present = active.scheduling
        let scheduling = try #require(present)
        #expect(scheduling.isRealtime == (scheduling.priority > 0))
    }

    @Test func ofAClientThatLibjackHasFreedTheNameIsKnownAndNothingIsAskedOfIt() throws {
        let client = try Client(name: "freed", server: PrivateServer.name)
        let active = try client.activate()
        let hub = active.view.hub
        // As where libjack frees it; it is closed below all the same.
        hub.isFreed.store(true, ordering: .releasing)
        let figures = [active.sampleRate, active.periodFrames, Int(active.frameTime)]
        let (name, load, scheduling) = (active.name, active.dspLoad, active.scheduling)
        #expect(figures == [0, 0, 0] && name == "freed" && load == 0 && scheduling == nil)
        hub.isFreed.store(false, ordering: .releasing)
        try active.close()
    }

    @Test func twoHundredOpenedAndClosedClientsLeaveNothingBehind() async {
        await #expect(processExitsWith: .success) {
            let server = try Server()
            defer { server.stop() }
            func open() throws -> Client { try Client(name: "brief", server: server.name) }
            // The first ones make what the process keeps.
            for _ in 0..<5 { try open().activate().close() }
            let memory = Belongings.sharedMemory(of: server.name)
            let before = Holdings()
            for number in 0..<200 {
                if number % 10 == 0 { try open().activate().close() } else { try open().close() }
            }
            try before.expectNothingMore()
            try #require(Belongings.sharedMemory(of: server.name) == memory)
        }
    }

    @Test func clientsAreOpenedAndClosedFromEightThreadsAtOnce() async throws {
        let server = PrivateServer.name
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<8 {
                group.addTask {
                    for _ in 0..<15 {
                        let client = try Client(name: "many-\(number)", server: server, permitsRenaming: false)
                        _ = try client.register("in", .input)
                        try client.activate().close()
                    }
                }
            }
            try await group.waitForAll()
        }
    }
}

/// The error of opening a client, or `nil` if it opens.
func openingError(_ name: String, _ server: String?, permitsRenaming: Bool = true) -> JackError? {
    do throws(JackError) {
        try Client(name: name, server: server, permitsRenaming: permitsRenaming).close()
        return nil
    } catch {
        return error
    }
}

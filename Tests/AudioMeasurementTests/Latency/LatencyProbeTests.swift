import AudioFigures
import AudioIO
import AudioMeasurement
import AudioRealtime
import Jack
import TestSupport
import Testing

/// A client that hands its input on after so many frames.
private final class DelayLine {
    private var client: ActiveClient?
    private let state: UnsafeMutablePointer<State>

    fileprivate struct State {
        let client: ClientHandle
        let input: PortHandle
        let output: PortHandle
        let memory: UnsafeMutablePointer<Float>
        let delay: Int
        var place = 0
    }

    /// Opens the client `delay` with the ports `in` and `out`.
    init(frames: Int, declares declared: Int, on server: Server) throws {
        let client = try Client(name: "delay", server: server.name, permitsRenaming: false)
        let input = try client.register("in", .input)
        let output = try client.register("out", .output)
        let memory = UnsafeMutablePointer<Float>.allocate(capacity: frames)
        memory.initialize(repeating: 0, count: frames)
        state = .allocate(capacity: 1)
        state.initialize(
            to: State(
                client: client.handle, input: input.handle, output: output.handle, memory: memory, delay: frames))
        try client.setProcess(delayCycle, context: state)
        _ = LatencyDeclaration(of: client, inputs: [input], outputs: [output], addedFrames: declared)
        self.client = try client.activate()
    }

    deinit {
        client = nil
        state.pointee.memory.deallocate()
        state.deallocate()
    }
}

/// Thread: audio.
@c(iounit_test_delay) @_noLocks @_noAllocation
private func delayCycle(frames: UInt32, context: UnsafeMutableRawPointer?) -> CInt {
    guard let state = context?.assumingMemoryBound(to: DelayLine.State.self) else { return 0 }
    let cycle = Cycle(state.pointee.client, frames: frames)
    if let input = cycle.buffer(of: state.pointee.input), let output = cycle.buffer(of: state.pointee.output) {
        for frame in 0..<cycle.frames {
            let place = state.pointee.place
            let heard = input[frame]
            output[frame] = state.pointee.memory[place]
            state.pointee.memory[place] = heard
            state.pointee.place = place + 1 == state.pointee.delay ? 0 : place + 1
        }
    }
    cycle.end()
    return 0
}

extension LatencyProbe {
    /// Waits until the finding is of a number of rounds.
    fileprivate func settled(rounds: Int = 2, input: Int = 0) throws -> LatencyFinding {
        try waitUntil("the probe has heard \(rounds) rounds", within: 60) { self.rounds(input: input) >= rounds }
        return try #require(finding(input: input))
    }

    fileprivate func estimate(rounds: Int = 2, input: Int = 0) throws -> LatencyEstimate {
        let finding = try settled(rounds: rounds, input: input)
        return try #require(finding.estimate, "\(finding)")
    }
}

/// Short enough that a round takes 85 ms.
private let signal = ProbeSignal(lengthFrames: 1 << 12)

@Suite("A latency probe", .serialized, .ownServers) struct LatencyProbeTests {
    private func server(_ periodFrames: Int = 64, isSync: Bool = true) throws -> Server {
        var configuration = ServerConfiguration()
        configuration.periodFrames = periodFrames
        configuration.isSync = isSync
        configuration.isPatient = isSync
        return try Server(configuration)
    }

    @Test(arguments: [16, 32, 64, 128, 256, 512, 1024], [true, false])
    func `finds that its own output comes back after exactly one period`(_ period: Int, _ isSync: Bool) throws {
        let server = try server(period, isSync: isSync)
        defer { server.stop() }
        let probe = try LatencyProbe(roundTrip: "probe", server: server.name, signal: signal)
        defer { probe.stop() }
        try probe.connectSend(to: probe.returnPorts[0])
        probe.begin()
        var rounds = 2
        var estimate = try probe.estimate(rounds: rounds)
        // In async mode the server does not wait for a busy machine: a round may hold a late cycle, a better one will come.
        // One of 16 frames hardly moves the delay, but takes 0.03 dB from the level.
        while rounds < 100 && (estimate.errorFrames > 0.001 || !isSync && abs(estimate.levelDecibels) >= 0.01) {
            rounds += 1
            estimate = try probe.estimate(rounds: rounds)
        }
        #expect(abs(estimate.frames - Double(period)) <= 0.001, "\(estimate)")
        #expect(estimate.errorFrames <= 0.001)
        #expect(!estimate.isInverted && abs(estimate.levelDecibels) < 0.01)
        #expect(probe.declaredFrames() == nil)
    }

    @Test func `finds that a unit adds nothing, and a delay what it delays, at the same time`() throws {
        let server = try server()
        defer { server.stop() }
        var configuration = UnitConfiguration()
        configuration.serverName = server.name
        configuration.channels = 1
        configuration.inputs = .none
        configuration.outputs = .none
        configuration.shape = .cubic
        configuration.driveDecibels = 12
        let unit = try IOUnit(configuration)
        try unit.start()
        defer { unit.stop() }
        let line = try DelayLine(frames: 777, declares: 777, on: server)
        let probe = try LatencyProbe(through: "probe", inputs: 3, server: server.name, signal: signal)
        defer { probe.stop() }
        try probe.connectSend(to: "iounit:in_1")
        try probe.connectSend(to: "delay:in")
        try probe.connectReturn(from: "iounit:out_1", input: 0)
        try probe.connectReturn(from: "delay:out", input: 1)
        probe.begin()
        #expect(abs(try probe.estimate(input: 0).frames) <= 0.001)
        #expect(abs(try probe.estimate(input: 1).frames - 777) <= 0.001)
        #expect(try probe.settled(input: 2) == .absent(heardDecibels: nil), "nothing is connected to it")
        try waitUntil("what the ports declare has been added up") { probe.declaredFrames(input: 1) == 777 }
        withExtendedLifetime(line) {}
    }

    @Test func `tells what the card's ports declare, and hears nothing on a card that is silent`() throws {
        let server = try server(128)
        defer { server.stop() }
        let probe = try LatencyProbe(through: "probe", inputs: 1, server: server.name, signal: signal)
        defer { probe.stop() }
        #expect(probe.declaredFrames() == nil, "it is not connected yet")
        try probe.connectSend(to: "system:playback_1")
        try probe.connectReturn(from: "system:capture_1")
        probe.begin()
        #expect(try probe.settled() == .absent(heardDecibels: nil))
        #expect(probe.declaredFrames() == 256)
    }

    /// A session manager may connect new ports before they are used, or in mid-run.
    @Test func `disconnects what other clients connect, tells it and measures its own way`() throws {
        let server = try server()
        defer { server.stop() }
        let line = try DelayLine(frames: 777, declares: 0, on: server)
        let probe = try LatencyProbe(roundTrip: "probe", server: server.name, signal: signal)
        defer { probe.stop() }
        let other = try Client(name: "other", server: server.name).activate()
        try other.connect("system:capture_1", to: "probe:in_1")
        // What the probe wants itself is nothing foreign, as where a unit restores what an earlier probe had.
        try other.connect("probe:out_1", to: "probe:in_1")
        try waitUntil("both are noticed") { probe.foreignConnections.count == 2 }
        try probe.connectSend(to: probe.returnPorts[0])
        probe.begin()
        #expect(abs(try probe.estimate().frames - 64) <= 0.001)
        try other.connect("delay:out", to: "probe:in_1")
        try other.connect("probe:out_1", to: "delay:in")
        try waitUntil("they are disconnected") {
            probe.foreignConnections.count == 3
                && other.port(named: "probe:in_1")?.connections == ["probe:out_1"]
                && other.port(named: "probe:out_1")?.connections == ["probe:in_1"]
        }
        #expect(
            Set(probe.foreignConnections.map { "\($0.port) \($0.other)" }) == [
                "probe:in_1 system:capture_1", "probe:in_1 delay:out", "probe:out_1 delay:in",
            ])
        #expect(probe.foreignConnections.allSatisfy { $0.times == 1 }, "\(probe.foreignConnections)")
        let estimate = try probe.estimate(rounds: probe.rounds() + 2)
        #expect(abs(estimate.frames - 64) <= 0.001 && estimate.errorFrames <= 0.001, "\(estimate)")
        #expect(!probe.isContested)
        withExtendedLifetime(line) {}
    }

    @Test func `has no finding where another client connects something again and again`() throws {
        let server = try server()
        defer { server.stop() }
        let probe = try LatencyProbe(roundTrip: "probe", server: server.name, signal: signal)
        defer { probe.stop() }
        let other = try Client(name: "other", server: server.name).activate()
        try probe.connectSend(to: probe.returnPorts[0])
        probe.begin()
        _ = try probe.estimate()
        try waitUntil("the probe gives up") {
            try? other.connect("system:capture_1", to: "probe:in_1")
            return probe.isContested
        }
        #expect(probe.finding() == nil)
        let foreign = try #require(probe.foreignConnections.first)
        #expect(foreign.times > 8 && foreign.other == "system:capture_1", "\(foreign)")
    }

    @Test func `begins again when the server changes its period`() throws {
        let server = try server(64)
        defer { server.stop() }
        let probe = try LatencyProbe(roundTrip: "probe", server: server.name, signal: signal)
        defer { probe.stop() }
        try probe.connectSend(to: probe.returnPorts[0])
        probe.begin()
        #expect(abs(try probe.estimate().frames - 64) <= 0.001)
        #expect(probe.restarts == 0)
        let other = try Client(name: "other", server: server.name).activate()
        try other.setPeriod(frames: 256)
        try waitUntil("the probe has begun again") { probe.restarts > 0 }
        #expect(abs(try probe.estimate().frames - 256) <= 0.001)
        try other.close()
    }

    @Test func `keeps what it found when the server dies, and says that it is gone`() throws {
        let server = try server()
        let probe = try LatencyProbe(roundTrip: "probe", server: server.name, signal: signal)
        try probe.connectSend(to: probe.returnPorts[0])
        probe.begin()
        _ = try probe.estimate()
        #expect(!probe.hasLostServer)
        server.stop()
        try waitUntil("the probe knows that the server is gone") { probe.hasLostServer }
        probe.stop()
        #expect(abs((probe.finding()?.estimate?.frames ?? 0) - 64) <= 0.001)
        #expect(throws: JackError.self) { try probe.connectSend(to: "system:playback_1") }
    }

    @Test func `has heard nothing at an input that it has not, and connects nothing to it`() throws {
        let server = try server()
        defer { server.stop() }
        let probe = try LatencyProbe(through: "probe", inputs: 2, server: server.name, signal: signal)
        defer { probe.stop() }
        for input in [Int.min, -1, 2, .max] {
            #expect(probe.finding(input: input) == nil && probe.peakDecibels(input: input) == nil)
            #expect(probe.readings(input: input).isEmpty && probe.correlation(input: input).isEmpty)
            #expect(probe.rounds(input: input) == 0 && probe.discarded(input: input) == 0)
            #expect(probe.declared(input: input) == nil && probe.declaredFrames(input: input) == nil)
            #expect(throws: JackError.self) {
                try probe.connectReturn(from: "system:capture_1", input: input)
            }
        }
    }

    @Test func `refuses to have no inputs, or very many`() {
        for inputs in [0, -1, 65] {
            #expect(throws: JackError.self) { try LatencyProbe(through: "probe", inputs: inputs) }
        }
    }
}

import AudioFigures
import AudioIO
import AudioReports
import CommandSyntax
import Jack
import PluginCommands
import ServerRuns
import TerminalPages
import Threads

/// One run of an engine on a server: what is known of it for the live view, for the report, and at the end.
package final class EngineRun {
    package let engine: Engine
    package let unit: any GraphUnit
    package private(set) var facts: ServerFacts
    /// Whether the server's period or sample rate was another before.
    private(set) var hadOtherCycles = false
    private(set) var hadOtherRate = false
    /// A client beside the unit's, which comes and goes with it.
    var companion: Engine?
    /// In the path of the sound.
    package var plugins = PluginChain.none
    /// What on the server's side keeps the sound from being what it should be, as of the last turn of the run's loop.
    var trouble: String?
    /// Whether there are callbacks, as of then too. If there are none, what was measured last is nothing of this moment.
    package internal(set) var hasCallbacks = false
    /// Whether what taps have brought last is of this moment: there are callbacks, and no pause keeps the sound from them.
    package var isHeard: Bool { hasCallbacks && !unit.isPaused }
    private let clientName: String
    private var freewheelWish = FreewheelWish()
    /// Until the unit runs.
    private var probe: ServerProbe?
    private(set) var isMemoryLocked = false
    private(set) var connection: UnitConnection?
    private var startNanoseconds: UInt64 = 0
    private(set) var seconds = 0.0
    /// When the run ended, on the monotonic clock, where the unit was in no graph by then and waited for a server.
    private(set) var outageEnd: UInt64?
    /// Up to when recordings and streams lack sound at the end; `nil` where they do not, or a pause was on.
    package private(set) var missingUntil: UInt64?
    /// Whether the server was gone when it ended.
    private(set) var lostAtEnd = false
    /// Whether somebody has asked for its end.
    private(set) var isToEnd = false

    /// Finds out whether it can be had.
    ///
    /// - Parameters:
    ///   - private: the private server, where there is one.
    ///   - path: of the plug-ins, some of which hear MIDI.
    init(
        _ configuration: EngineConfiguration, _ server: ServerOptions, on private: Server?, _ policy: ReconnectPolicy,
        plugins path: PluginPath
    ) throws {
        var configuration = configuration
        if let name = `private`?.name { configuration.serverName = name }
        configuration.midi = try path.midi(beside: configuration.midi)
        // The server takes its time to let a client in.
        let making = try Background("iounit-make") { [configuration] in try Engine(configuration, policy: policy) }
        let probe = try ServerProbe(server, on: `private`, as: configuration.clientName)
        try configuration.checkMIDI(on: probe.client)
        engine = try making.value
        guard let unit = engine.unit else { throw Failure(.inputOutput, "an engine on a server has no unit") }
        self.unit = unit
        clientName = probe.client.requestedName
        facts = probe.facts
        self.probe = consume probe
    }

    /// What a client of this configuration would be connected with. Asked before the start; nothing afterwards.
    func partners(of configuration: EngineConfiguration) throws(UnitError) -> (sources: [String], targets: [String]) {
        switch probe {
        case .some(let probe): try configuration.partners(on: probe.client)
        case .none: ([], [])
        }
    }

    package func start() throws {
        try companion?.start()
        // The server takes its time to make ports. Until it is done, nothing else of this process gets new memory, so that it is
        // done before there is an audio thread.
        let lock = try Background("iounit-lock") { MemoryLock.lock() }
        if let probe = probe.take() { unit.join(as: probe.takeClient()) { _ = try? lock.value } }
        try engine.start()
        isMemoryLocked = try lock.value
        // It has been rendering while its connections were made, which takes a second for 256 channels.
        startNanoseconds = unit.recentCycles.first?.entryNanoseconds ?? MonotonicClock.nanoseconds()
        connection = unit.connection
    }

    /// What is not as it should be, but no reason to stop.
    package func warn() {
        if let name = connection?.clientName, name != clientName {
            StandardError.complain("the name \(shown(clientName)) is taken; the unit is called \(shown(name))")
        }
        if facts.realtime.value == true, connection?.scheduling?.isRealtime == false {
            StandardError.complain(
                "real-time scheduling was refused, so expect xruns; iounit doctor says how to permit it")
        }
        if !isMemoryLocked {
            StandardError.complain(
                "the memory could not be locked, so swapping may cause xruns; "
                    + "iounit doctor says how to permit it")
        }
    }

    /// Notes what the report tells of the end, as far as it has come.
    func noteEnd() {
        noteProgress()
        // What came since the last look.
        for notice in lookAtPlugins() { StandardError.complain(notice) }
    }

    func noteProgress() {
        noteConnection()
        // As long as it rendered or waited for a server, so that frames, lost and absent time add up to it.
        if let end = outageEnd ?? unit.renderedUntilNanoseconds, end > startNanoseconds {
            seconds = Double(end - startNanoseconds) / 1e9
        }
    }

    /// Looks whether the unit was late, and which plug-in took the time, and whether one is later than before. Every tenth of a
    /// second.
    ///
    /// - Returns: sentences, where one is named for the first time.
    func lookAtPlugins() -> [String] {
        plugins.look(unit.lateness)
    }

    /// Notes that the run has ended: an outage of the server counts up to here. Once, before anything is closed.
    func noteOutage() {
        (outageEnd, missingUntil, lostAtEnd) = (engine.outageEnd, engine.missingUntil, hasLostServer)
    }

    /// Takes note of what may be another than at the start: another period, or another server with another rate.
    func noteConnection() {
        guard let connection = unit.connection else { return }
        self.connection = connection
        let before = (facts.sampleRate, facts.periodFrames)
        (facts.sampleRate, facts.periodFrames) = (connection.sampleRate, connection.periodFrames)
        if before != (facts.sampleRate, facts.periodFrames) { hadOtherCycles = true }
        if before.0 != facts.sampleRate { hadOtherRate = true }
    }

    /// Has the server freewheel, until the run leaves the graph.
    package func freewheel() throws(UnitError) {
        try freewheelWish.make { () throws(UnitError) in try engine.setFreewheel(true) }
    }

    /// Has a server freewheel again that the run was away from, as while it was suspended. Where that does not, the sound goes on
    /// in time, and the state tells.
    func keepFreewheeling() {
        freewheelWish.keep(in: engine.state) { () throws(UnitError) in try engine.setFreewheel(true) }
    }

    /// Takes it back: before a signal may end the program at once, and before the program is stopped.
    func endFreewheel() {
        guard freewheelWish.end() else { return }
        do throws(UnitError) {
            try engine.setFreewheel(false)
        } catch {
            // Nothing is to be taken back from a server that is gone, or that another program has in time again.
            guard !hasLostServer, error.kind != .refused else { return }
            StandardError.complain("\(error); the server may freewheel still: start it again")
        }
    }

    /// Whether the server is gone, or another one has come. The unit knows that only until it is stopped.
    private var hasLostServer: Bool {
        switch engine.state {
        case .interrupted(.serverGone), .interrupted(.awaitingConsent): true
        case .failed(let error): error.kind == .serverGone
        default: unit.hasLostServer
        }
    }

    /// Lets the sound go on where a server came back. A pause is for those to end who made it.
    ///
    /// - Throws: `wrongState` where nothing waits for that.
    func resume() throws(UnitError) {
        guard case .interrupted(.awaitingConsent) = engine.state else {
            throw .wrongState("a run that is \(engine.state.name) cannot resume: no server came back")
        }
        try engine.resume()
    }

    /// Has it end with the next turn of its loop.
    package func end() { isToEnd = true }

    /// Closes the clients, in the order of the signal. It changes nothing that a report reads.
    func leaveGraph() {
        probe = nil
        endFreewheel()
        companion?.close()
        engine.close()
    }

    /// Nothing is rendered any more. Once.
    func finish() {
        plugins.tellNotices()
        if isMemoryLocked { MemoryLock.unlock() }
    }

    /// Nanoseconds without a server, the end of the run included.
    var absentNanoseconds: UInt64 {
        var absent = unit.statistics.absentNanoseconds
        if let outageEnd, let rendered = unit.renderedUntilNanoseconds, outageEnd > rendered {
            absent += outageEnd - rendered
        }
        return absent
    }

    /// Four seconds of sound may wait for a disk, a reader or a processor, or as much of them as fits in 64 MiB.
    package static func tapFrames(sampleRate: Int, channels: Int) -> Int {
        max(4 * 8192, min(4 * sampleRate, (64 << 20) / (4 * channels)))
    }

    package func tapFrames(channels: Int) -> Int { Self.tapFrames(sampleRate: facts.sampleRate, channels: channels) }

    /// Facts about the server, in the order of their weight.
    package var title: [String] {
        facts.title + (connection?.scheduling.map { [SchedulingFacts($0).words] } ?? [])
    }
}

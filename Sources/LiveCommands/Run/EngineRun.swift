import AudioFigures
import AudioIO
import AudioMeasurement
import AudioReports
import FileCommands
import Jack
import ServerRuns
import TerminalPages
import Threads

/// One run of an engine on a server: what is known of it for the live view, for the report, and at the end.
final class EngineRun {
    let engine: Engine
    let unit: any GraphUnit
    private(set) var facts: ServerFacts
    /// A client beside the unit's, which comes and goes with it.
    var companion: Engine?
    private let clientName: String
    /// Until the unit runs.
    private var probe: ServerProbe?
    private(set) var isMemoryLocked = false
    private(set) var connection: UnitConnection?
    private var startNanoseconds: UInt64 = 0
    private(set) var seconds = 0.0
    /// When the run ended, on the monotonic clock, where the unit was in no graph by then and waited for a server.
    private(set) var outageEnd: UInt64?

    /// - Parameters:
    ///   - unit: the engine's.
    ///   - probe: with the client's name, which the unit goes on with.
    init(_ engine: Engine, _ unit: any GraphUnit, probe: consuming ServerProbe) {
        self.engine = engine
        self.unit = unit
        clientName = probe.client.requestedName
        facts = probe.facts
        self.probe = consume probe
    }

    func start() throws {
        isMemoryLocked = MemoryLock.lock()
        if let probe = probe.take() { unit.join(as: probe.takeClient()) }
        try engine.start()
        // It has been rendering while its connections were made, which takes a second for 256 channels.
        startNanoseconds = unit.recentCycles.first?.entryNanoseconds ?? MonotonicClock.nanoseconds()
        connection = unit.connection
    }

    /// What is not as it should be, but no reason to stop.
    func warn() {
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
        noteConnection()
        // As long as it rendered or waited for a server, so that frames, lost and absent time add up to it.
        if let end = outageEnd ?? unit.renderedUntilNanoseconds, end > startNanoseconds {
            seconds = Double(end - startNanoseconds) / 1e9
        }
    }

    /// Notes that the run has ended: an outage of the server counts up to here. Once, before anything is closed.
    func noteOutage() {
        switch engine.state {
        case .interrupted(.serverGone), .interrupted(.awaitingConsent): outageEnd = MonotonicClock.nanoseconds()
        // It has waited in vain.
        case .failed where engine.policy.consent != .never: outageEnd = MonotonicClock.nanoseconds()
        default: break
        }
    }

    /// Takes note of what may be another than at the start: another period, or another server with another rate.
    func noteConnection() {
        guard let connection = unit.connection else { return }
        self.connection = connection
        facts.sampleRate = connection.sampleRate
        facts.periodFrames = connection.periodFrames
    }

    /// Closes the clients, in the order of the signal. It changes nothing that a report reads.
    func leaveGraph() {
        probe = nil
        companion?.close()
        engine.close()
    }

    func unlockMemory() { if isMemoryLocked { MemoryLock.unlock() } }

    /// Nanoseconds without a server, the end of the run included.
    var absentNanoseconds: UInt64 {
        var absent = unit.statistics.absentNanoseconds
        if let outageEnd, let rendered = unit.renderedUntilNanoseconds, outageEnd > rendered {
            absent += outageEnd - rendered
        }
        return absent
    }

    /// What is to be said where outputs that were meant to be heard lead nowhere.
    static let noPlaybackPorts =
        "the server has no playback ports, so nothing is connected to the outputs and nobody hears them; name "
        + "other ports with --output (iounit ports lists them)"

    /// Four seconds of sound may wait for a disk, a reader or a processor, or as much of them as fits in 64 MiB.
    func tapFrames(channels: Int) -> Int { max(4 * 8192, min(4 * facts.sampleRate, (64 << 20) / (4 * channels))) }

    /// Facts about the server, in the order of their weight.
    var title: [String] {
        facts.title + (connection?.scheduling.map { [SchedulingFacts($0).words] } ?? [])
    }
}

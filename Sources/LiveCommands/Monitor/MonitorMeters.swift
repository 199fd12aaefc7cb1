import AudioIO
import AudioReports
import LiveRuns
import TerminalPages

/// The meters of the live view of `monitor`: of what feeds the unit, and of its outputs, each with its port and what that is
/// connected to.
struct MonitorMeters {
    private var inputMeters: LevelMeters
    private var outputMeters: LevelMeters
    private let levels: InputLevels
    private var clipped: [UInt64]

    init(channels: Int) {
        inputMeters = LevelMeters(channels: channels)
        clipped = Array(repeating: 0, count: channels)
        outputMeters = LevelMeters(channels: channels)
        levels = InputLevels(channels: channels)
        label([], client: "")
    }

    var inputs: [LevelMeter] { inputMeters.all }
    var outputs: [LevelMeter] { outputMeters.all }

    /// Begins to look at what feeds the unit.
    func start(_ session: MonitorSession) throws {
        let levels = levels
        try session.tapInputs { levels.add($0) }
    }

    /// - Parameter time: of the run, in seconds.
    mutating func update(_ session: MonitorSession, time: Double) {
        outputMeters.update(from: session.unit.meters, time: time)
        let peaks = levels.take()
        for (channel, peak) in peaks.enumerated() where peak >= 1 { clipped[channel] += 1 }
        inputMeters.update(time: time) { [clipped] in (peaks[$0], clipped[$0]) }
    }

    /// Names each meter by its port and what that is connected to.
    ///
    /// - Parameter client: whose ports are connected.
    mutating func label(_ links: [Link], client: String) {
        inputMeters.label { channel in
            let name = "\(client):in_\(channel + 1)"
            let others = links.filter { $0.target == name }.map(\.source)
            return ("in \(channel + 1)", Self.partner(others, "→"))
        }
        outputMeters.label { channel in
            let name = "\(client):out_\(channel + 1)"
            let others = links.filter { $0.source == name }.map(\.target)
            return ("out \(channel + 1)", Self.partner(others, "←"))
        }
    }

    private static func partner(_ others: [String], _ arrow: String) -> String? {
        others.first.map { "\(shown($0))\(others.count > 1 ? " +\(others.count - 1)" : "") \(arrow) " }
    }

    /// Forgets what they hold.
    mutating func reset() {
        inputMeters.reset()
        outputMeters.reset()
    }
}

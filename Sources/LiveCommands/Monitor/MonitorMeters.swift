import AudioIO
import AudioReports
import LiveRuns
import TerminalPages
import Threads

/// The meters of the live view of `monitor`: of what feeds the unit, and of its outputs, each with its port and what that is
/// connected to.
struct MonitorMeters {
    private(set) var inputs: [LevelMeter]
    private var outputMeters: LevelMeters
    private let levels: InputLevels
    private var clipped: [UInt64]
    private var last = MonotonicClock.nanoseconds()

    init(channels: Int) {
        inputs = Array(repeating: LevelMeter(), count: channels)
        clipped = Array(repeating: 0, count: channels)
        outputMeters = LevelMeters(channels: channels)
        levels = InputLevels(channels: channels)
        label([], client: "")
    }

    var outputs: [LevelMeter] { outputMeters.all }

    /// Begins to look at what feeds the unit.
    func start(_ session: MonitorSession) throws {
        let levels = levels
        try session.tapInputs { levels.add($0) }
    }

    /// - Parameter time: of the run, in seconds.
    mutating func update(_ session: MonitorSession, time: Double) {
        outputMeters.update(from: session.unit.meters, time: time)
        let now = MonotonicClock.nanoseconds()
        let elapsed = Double(now - last) / 1e9
        last = now
        for (channel, peak) in levels.take().enumerated() {
            if peak >= 1 { clipped[channel] += 1 }
            inputs[channel].update(peak: peak, clipped: clipped[channel], time: time, elapsed: elapsed)
        }
    }

    /// Names each meter by its port and what that is connected to.
    ///
    /// - Parameter client: whose ports are connected.
    mutating func label(_ links: [Link], client: String) {
        for channel in inputs.indices {
            let name = "\(client):in_\(channel + 1)"
            let others = links.filter { $0.target == name }.map(\.source)
            (inputs[channel].label, inputs[channel].partner) = ("in \(channel + 1)", Self.partner(others, "→"))
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
        for channel in inputs.indices { inputs[channel].reset() }
        outputMeters.reset()
    }
}

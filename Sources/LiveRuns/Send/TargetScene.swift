import AudioReports
import AudioStreaming
import TerminalPages

package struct TargetScene {
    var name: String
    /// Codec and rate.
    var format: String
    package var state: TargetFigures.State
    var sentPackets: UInt64
    var lostPackets: UInt64
    var reconnections: Int
    /// `nil` where that is not known yet.
    var bytesPerSecond: Double?
}

extension TargetScene {
    init(_ figures: TargetFigures, _ codec: Codec?, bytesPerSecond: Double?) {
        self.init(
            name: shown("\(figures.target)"), format: "\(codec?.name ?? "") \(figures.sampleRate) Hz",
            state: figures.state, sentPackets: figures.sentPackets, lostPackets: figures.lostPackets,
            reconnections: max(0, figures.connections - 1), bytesPerSecond: bytesPerSecond)
    }
}

extension Page {
    /// As many targets as there is room for.
    package func lines(_ targets: [TargetScene], room: Int) -> [String] {
        var lines: [String] = []
        for (index, target) in targets.enumerated() {
            let new = flow(parts(target))
            let left = targets.count - index
            guard lines.count + new.count <= (left > 1 ? room - 1 : room) else {
                return lines.count < room
                    ? lines + flow([[(index > 0 ? "and \(left) more" : "\(left) targets", .dim)]]) : lines
            }
            lines += new
        }
        return lines
    }

    private func parts(_ target: TargetScene) -> [Part] {
        let state: (String, Tint) =
            switch target.state {
            case .connected: ("connected", .green)
            case .connecting:
                (target.reconnections > 0 || target.sentPackets > 0 ? "reconnecting" : "connecting", .yellow)
            case .failed: ("GIVEN UP", .red)
            case .ended: ("ended", .plain)
            }
        return [
            [(plain(target.name), .bold)], [state], [(target.format, .plain)],
            target.bytesPerSecond.map { [("\(size(Int($0)))/s", .plain)] } ?? [],
            [("sent \(target.sentPackets)", .plain)],
            [("lost \(target.lostPackets)", target.lostPackets > 0 ? .red : .plain)],
            target.reconnections > 0 ? [("reached again \(timesInWords(target.reconnections))", .yellow)] : [],
        ].filter { !$0.isEmpty }
    }
}

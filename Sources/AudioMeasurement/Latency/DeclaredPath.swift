import AudioFigures
import Jack

/// The first and the last port of a path through the graph, and what they declare.
struct DeclaredPath {
    /// What the signal is sent to, an input.
    let first: PortInfo
    /// Where it is heard, an output.
    let last: PortInfo
    /// Full name of the port that it is sent from, which adds nothing.
    let sender: String

    /// Where the signal leaves the graph, at a port that says that sound ends there, that is what lies behind that port
    /// and what lies before the one it comes back through. Else the way goes through clients alone, and what lies before the
    /// port it comes back through is all of it; of that range what else feeds the first port is taken away where one client
    /// has both ports, and so tells what it adds itself.
    var latency: DeclaredLatency {
        guard !first.isTerminal, !first.isPhysical else {
            return DeclaredLatency(parts: [
                .init(port: first.name, kind: .playback, frames: first.playbackLatency.span),
                .init(port: last.name, kind: .capture, frames: last.captureLatency.span),
            ])
        }
        let others = first.connections.filter { $0 != sender }
        let heard = DeclaredLatency.Part(port: last.name, kind: .capture, frames: last.captureLatency.span)
        guard !others.isEmpty, let own = ownFrames else {
            return DeclaredLatency(parts: [heard], otherConnections: others)
        }
        var whole = heard
        whole.isCounted = false
        return DeclaredLatency(
            parts: [.init(port: last.name, kind: .own, frames: own...own), whole], otherConnections: others)
    }

    /// What the client of both ports adds to whatever comes; `nil` where they are not of one, or it does not say.
    private var ownFrames: Int? {
        guard Self.client(first) == Self.client(last) else { return nil }
        let least = last.captureLatency.minimum - first.captureLatency.minimum
        return least >= 0 && least == last.captureLatency.maximum - first.captureLatency.maximum ? least : nil
    }

    private static func client(_ port: PortInfo) -> Substring { port.name.prefix { $0 != ":" } }
}

extension LatencyRange {
    /// Another client may declare anything, also a range that ends before it begins.
    fileprivate var span: ClosedRange<Int> { min(minimum, maximum)...max(minimum, maximum) }
}

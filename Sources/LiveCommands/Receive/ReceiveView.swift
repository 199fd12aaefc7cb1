import AudioReports
import AudioStreaming
import LiveRuns
import TerminalPages

/// What the live view of `receive` shows at one moment.
struct ReceiveScene {
    var run: RunScene
    var origin: String
    var figures: ReceiverFigures
    var gainDecibels: Double
}

extension Page {
    /// In a low window what it does, and what is wrong, come first, then the meters, then the rest.
    func lines(_ scene: ReceiveScene) -> [String] {
        lines(
            scene.run, state: state(scene),
            body: { $0.take(flow(scene.figures.words.map { [(plain($0), .plain)] })) },
            figures: [[("gain \(fixed(scene.gainDecibels, 1)) dB", .plain)]] + losses(scene.run),
            keys: ["up down gain", "q quit"])
    }

    private func state(_ scene: ReceiveScene) -> [String] {
        var parts = live(scene.run, .green)
        if scene.figures.state != .receiving { parts[0] = [(" WAIT ", .active)] }
        parts.append([(plain(scene.origin), .bold)])
        if let words = streamWords(scene.figures) { parts.append([(plain(words), .plain)]) }
        return flow(parts)
    }
}

extension ReceiverFigures {
    /// What is worth a look, in the order of its weight.
    var words: [String] {
        guard streams > 0 else { return ["waiting for the sender"] }
        return [
            "\(receivedPackets) packets",
            "lost \(lostPackets)", "late \(latePackets)", "reordered \(reorderedPackets)",
            droppedPackets > 0 ? "dropped \(droppedPackets)" : nil,
            underrunFrames > 0 ? "underrun \(underrunFrames) frames" : nil,
            bufferSeconds.map { "buffer \(fixed($0 * 1000, 1)) ms" },
            latencySeconds.map { "latency \(fixed($0 * 1000, 1)) ms" },
            driftPartsPerMillion.map { "drift \(fixed($0, 1)) ppm" },
        ].compactMap(\.self)
    }
}

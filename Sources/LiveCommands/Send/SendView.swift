import LiveRuns
import TerminalPages

/// What the live view of `send` shows at one moment.
struct SendScene {
    var run: RunScene
    /// Frames that found no room on their way to the encoders.
    var droppedFrames: UInt64
}

extension Page {
    /// In a low window what it does, and what is wrong, come first, then the meters, then the rest.
    func lines(_ scene: SendScene) -> [String] {
        var figures = losses(scene.run)
        if scene.droppedFrames > 0 { figures.append([("\(scene.droppedFrames) frames DROPPED", .red)]) }
        return lines(
            scene.run, state: state(scene), figures: figures, keys: ["q quit"])
    }

    private func state(_ scene: SendScene) -> [String] {
        let reached = scene.run.targets.count { $0.state == .connected }
        var parts = live(scene.run, .red)
        if reached == 0 { parts[0] = [(" WAIT ", .active)] }
        let short = flow(parts)
        guard scene.run.targets.count > 1 else { return short }
        parts.append([("\(reached) of \(scene.run.targets.count) reached", .plain)])
        // In a narrow window the meters need the line more.
        let full = flow(parts)
        return full.count == short.count ? full : short
    }
}

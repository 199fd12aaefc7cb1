/// Why a graph of nodes does not become what it was told to.
package enum NodeGraphError: Error, Equatable {
    /// The connection would close a loop without a delay: its nodes, in the direction of the sound, from the target of the
    /// connection to its source.
    case loop([NodeGraph.Identifier])
}

extension NodeGraph {
    /// A path of the sound from one node to another, and how far it has come on the way to what it is to be.
    struct Connection {
        let source: Identifier
        let target: Identifier
        var gains: Gains
        private(set) var line: Cell<Line>
        /// Whether it was in the last plan.
        var isRendered = false
        /// Whether its line was in the last plan, and not just the sound.
        var isCarried = false
        /// Whether it is on its way to silence and out.
        var isLeaving = false

        /// It begins in silence.
        init(from source: Identifier, to target: Identifier, gains: Gains, channels: Int) {
            self.source = source
            self.target = target
            self.gains = gains
            line = Cell(Line(channels: channels, gains: .silence, delayFrames: 0))
        }

        func joins(_ source: Identifier, _ target: Identifier) -> Bool {
            self.source == source && self.target == target
        }

        /// Has a new line: the old one may be in a plan still.
        mutating func renew(channels: Int, gains: Gains, delayFrames: Int) {
            line = Cell(Line(channels: channels, gains: gains, delayFrames: delayFrames))
        }

        // SAFETY: here and below, the cell is ours.
        var isAtRest: Bool { unsafe line.pointer.pointee.isAtRest }
        var delayFrames: Int { unsafe line.pointer.pointee.delayFrames }
        /// Where its gains are, or are on their way to.
        var lineGains: Gains { unsafe line.pointer.pointee.target }
        func move(to gains: Gains, after frames: Int) { unsafe line.pointer.pointee.move(to: gains, after: frames) }
        func reset() { unsafe line.pointer.pointee.reset() }

        /// Whether the sound goes over as it is, but for the channels.
        var isPlain: Bool { isAtRest && lineGains == .unity && delayFrames == 0 }
        var hasFaded: Bool { isAtRest && lineGains == .silence }
    }
}

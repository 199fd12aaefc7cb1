/// What the ports on a measured path declare, and what it is made of.
///
/// JACK keeps a range for each port: it spans everything that is connected to it, so that it may be wider than the path that
/// was measured.
public struct DeclaredLatency: Sendable, Equatable {
    /// What one port adds.
    public struct Part: Sendable, Equatable {
        /// Which latency it is.
        public enum Kind: String, Sendable, CaseIterable {
            /// From where sound comes into the graph to the port: the port's capture latency.
            case capture
            /// From the port to where sound leaves the graph: the port's playback latency.
            case playback
            /// What the port's own client adds between its input and this output.
            case own
        }

        /// Full name of the port.
        public var port: String
        /// Which latency it is.
        public var kind: Kind
        /// Along the shortest path.
        public var minFrames: Int
        /// Along the longest path.
        public var maxFrames: Int
        /// Whether it is on the measured path, and so in the sum.
        public var isCounted: Bool

        /// - Parameters:
        ///   - frames: the range that JACK keeps for the port.
        ///   - isCounted: whether the port is on the measured path.
        public init(port: String, kind: Kind, frames: ClosedRange<Int>, isCounted: Bool = true) {
            self.port = port
            self.kind = kind
            minFrames = frames.lowerBound
            maxFrames = frames.upperBound
            self.isCounted = isCounted
        }
    }

    /// The least and the most that the path may have by what its ports declare: the sums of the parts that are counted.
    public var minFrames: Int
    /// Along the longest path.
    public var maxFrames: Int
    /// In the order of the path.
    public var parts: [Part]
    /// Ports beside the path's that feed its first port. Ranges behind it span them as well.
    public var otherConnections: [String]

    /// - Parameters:
    ///   - parts: in the order of the path.
    ///   - otherConnections: ports beside the path's that feed its first port.
    public init(parts: [Part], otherConnections: [String] = []) {
        self.parts = parts
        self.otherConnections = otherConnections
        let counted = parts.filter(\.isCounted)
        minFrames = Self.sum(counted.map(\.minFrames))
        maxFrames = Self.sum(counted.map(\.maxFrames))
    }

    /// A part may have any number: a sum beyond the greatest integer is the greatest integer.
    private static func sum(_ frames: [Int]) -> Int {
        frames.reduce(0) { sum, frames in
            let (total, isBeyond) = sum.addingReportingOverflow(frames)
            return !isBeyond ? total : frames < 0 ? .min : .max
        }
    }

    /// The one latency that is declared; `nil` where the ports leave it open.
    public var frames: Int? { minFrames == maxFrames ? minFrames : nil }

    /// How much more than declared a latency is; negative is less, 0 within the range.
    package func extraFrames(_ measured: Double) -> Double {
        measured < Double(minFrames)
            ? measured - Double(minFrames) : measured > Double(maxFrames) ? measured - Double(maxFrames) : 0
    }
}

import AudioDSP

/// A change of one parameter, on its way to the audio thread.
public enum Command: BitwiseCopyable, Sendable {
    /// Linear gain.
    case gain(Float)
    /// Linear gain into the shaper.
    case drive(Float)
    case shape(Shape)
    case bypass(Bool)
    case mute(Bool)
}

/// What the unit is told to do to the signal: y = shape(drive · gain · x).
public struct Parameters: BitwiseCopyable, Sendable, Equatable {
    /// Linear gain.
    public var gain: Float = 1
    /// Linear gain into the shaper; without effect where the shape is `off`.
    public var drive: Float = 1
    public var shape = Shape.cubic
    /// Leaves the signal alone: neither gain nor shape.
    public var isBypassed = false
    public var isMuted = false

    @_noLocks @_noAllocation public init() {}

    @_noLocks @_noAllocation
    public mutating func apply(_ command: Command) {
        switch command {
        case .gain(let value): gain = value
        case .drive(let value): drive = value
        case .shape(let value): shape = value
        case .bypass(let value): isBypassed = value
        case .mute(let value): isMuted = value
        }
    }

    /// The curve that the parameters come to. A bypass is no curve and no gain.
    var effectiveShape: Shape { @_noLocks @_noAllocation get { isBypassed ? .off : shape } }

    /// The gain that the parameters come to.
    var effectiveGain: Float {
        @_noLocks @_noAllocation get {
            if isBypassed { return 1 }
            return shape == .off ? gain : gain * drive
        }
    }
}

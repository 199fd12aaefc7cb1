/// A value that moves in a straight line from where it is to where it was told to be.
///
/// Sample `i` of a ramp is `start + step · i`, computed from its index and never by adding up, so that a signal
/// cut into blocks of any size comes out the same to the bit.
public struct Ramp: BitwiseCopyable, Sendable {
    /// The value that the ramp ends at, and stays at.
    public private(set) var target: Float
    /// Frames still to go; 0 when the value stands still.
    public private(set) var remaining = 0

    private var start: Float
    private var step: Float = 0
    private var position = 0

    /// A ramp at rest.
    @_noLocks @_noAllocation
    public init(_ value: Float) {
        target = value
        start = value
    }

    /// How many frames a ramp of some milliseconds has at a sample rate in hertz.
    @_noLocks @_noAllocation
    package static func frames(milliseconds: Double, sampleRate: Int) -> Int {
        Int(milliseconds / 1000 * Double(sampleRate))
    }

    /// The value of the next frame.
    public var value: Float {
        @_noLocks @_noAllocation get { remaining == 0 ? target : start + step * Float(position) }
    }

    /// Sets out for `newTarget` from the present value.
    ///
    /// - Parameter frames: length of the way in frames; 0 jumps. At most 2²⁴, beyond which a `Float` does not count.
    @_noLocks @_noAllocation
    public mutating func move(to newTarget: Float, over frames: Int) {
        let from = value
        target = newTarget
        start = from
        position = 0
        remaining = from == newTarget ? 0 : max(0, min(frames, 1 << 24))
        step = remaining == 0 ? 0 : (newTarget - from) / Float(remaining)
    }

    /// Lets `frames` frames pass.
    @_noLocks @_noAllocation
    public mutating func advance(by frames: Int) {
        let passed = min(frames, remaining)
        position += passed
        remaining -= passed
    }

    /// The values of the eight frames with these indices; only valid before the ramp's end.
    @inline(__always) @_noLocks @_noAllocation
    func vector(at indices: Vector) -> Vector { start + step * indices }

    /// The indices of the next eight frames. Loops add 8 to them, which stays exact below 2²⁴ and is twice as
    /// fast as converting an integer each time.
    var indices: Vector {
        @inline(__always) @_noLocks @_noAllocation get {
            Vector(0, 1, 2, 3, 4, 5, 6, 7) + Float(position)
        }
    }
}

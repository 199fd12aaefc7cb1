import AudioDSP
import Synchronization

/// A gain node on the audio thread.
package struct GainState: ~Copyable {
    private let wanted: Atomic<UInt32>
    private var ramp: Ramp

    /// - Parameter gain: linear, in force from the first frame on.
    package init(_ gain: Float) {
        wanted = Atomic(gain.bitPattern)
        ramp = Ramp(gain)
    }

    /// Sets out for another gain. Thread: control. Wait-free.
    ///
    /// - Parameter gain: linear.
    package func move(to gain: Float) { wanted.store(gain.bitPattern, ordering: .relaxed) }

    /// Takes the wanted gain over at once. Thread: control, while nothing is processed.
    package mutating func reset() { ramp = Ramp(Float(bitPattern: wanted.load(ordering: .relaxed))) }

    /// Thread: audio. Wait-free.
    @_noLocks @_noAllocation
    mutating func process(_ planes: borrowing Planes, _ bundle: Bundle, frames: Int, rampFrames: Int) {
        let gain = Float(bitPattern: wanted.load(ordering: .relaxed))
        if ramp.target != gain { ramp.move(to: gain, over: rampFrames) }
        for channel in 0..<bundle.channels { planes.run(bundle, channel, count: frames).applyGain(ramp) }
        ramp.advance(by: frames)
    }
}

import AudioDSP

/// What is done to the sound: gain, shaper and mute, each without a click when it changes.
///
/// A change of gain is a straight ramp. A change of shape is a crossfade between two voices, each a shape with a
/// gain of its own; a bypass is the voice without shape at gain 1. One crossfade runs at a time: what is asked for
/// meanwhile begins when it ends. Everything is counted in frames from the start, so that the output does not
/// depend on how the signal is cut into blocks.
package struct Chain: ~Copyable {
    private struct Voice: BitwiseCopyable {
        var shape: Shape
        var gain: Ramp
    }

    /// What the chain was told.
    package private(set) var parameters: Parameters
    private var voice: Voice
    /// The voice that is being faded to, while `fade` runs.
    private var nextVoice: Voice
    private var fade = Ramp(0)
    private var level: Ramp
    private var rampFrames: Int
    private let scratch: Planes

    /// - Parameters:
    ///   - parameters: in force from the first frame on.
    ///   - rampFrames: how long a change takes, 0 or more.
    ///   - maximumFrames: the longest block that will be processed.
    package init(parameters: Parameters, rampFrames: Int, maximumFrames: Int) {
        self.parameters = parameters
        self.rampFrames = rampFrames
        voice = Voice(shape: parameters.effectiveShape, gain: Ramp(parameters.effectiveGain))
        nextVoice = voice
        level = Ramp(parameters.isMuted ? 0 : 1)
        scratch = Planes(channels: 1, capacity: maximumFrames)
    }

    /// Takes parameters over at once, as at the start of a stream. Thread: control, while nothing is processed.
    package mutating func reset(parameters: Parameters, rampFrames: Int) {
        self.parameters = parameters
        self.rampFrames = rampFrames
        voice = Voice(shape: parameters.effectiveShape, gain: Ramp(parameters.effectiveGain))
        fade = Ramp(0)
        level = Ramp(parameters.isMuted ? 0 : 1)
    }

    /// Begins a change. Thread: audio. Wait-free.
    @_noLocks @_noAllocation
    package mutating func apply(_ command: Command) {
        parameters.apply(command)
        let wanted: Float = parameters.isMuted ? 0 : 1
        if level.target != wanted { level.move(to: wanted, over: rampFrames) }
        retarget()
    }

    /// Sets out for what the parameters come to, or waits for the present crossfade to end.
    @_noLocks @_noAllocation
    private mutating func retarget() {
        let shape = parameters.effectiveShape
        let gain = parameters.effectiveGain
        if fade.remaining > 0 {
            if nextVoice.shape == shape && nextVoice.gain.target != gain {
                nextVoice.gain.move(to: gain, over: rampFrames)
            }
        } else if voice.shape == shape {
            if voice.gain.target != gain { voice.gain.move(to: gain, over: rampFrames) }
        } else {
            nextVoice = Voice(shape: shape, gain: Ramp(gain))
            fade = Ramp(0)
            fade.move(to: 1, over: rampFrames)
            if rampFrames == 0 { endFade() }
        }
    }

    /// The voice that was faded to is the one, and a change that waited for this begins.
    @_noLocks @_noAllocation
    private mutating func endFade() {
        voice = nextVoice
        fade = Ramp(0)
        retarget()
    }

    /// Processes the first `frames` frames of each plane, in place. They must be finite. Thread: audio. Wait-free.
    @_noLocks @_noAllocation
    package mutating func process(_ planes: borrowing Planes, frames: Int) {
        var start = 0
        while start < frames {
            let isFading = fade.remaining > 0
            let count = isFading ? min(frames - start, fade.remaining) : frames - start
            for channel in 0..<planes.channels {
                let block = planes.run(channel, from: start, count: count)
                if isFading {
                    let other = scratch.run(0, count: count)
                    other.copy(from: block)
                    other.applyShape(nextVoice.shape, gain: nextVoice.gain)
                    block.applyShape(voice.shape, gain: voice.gain)
                    block.crossfade(to: other, along: fade)
                } else {
                    block.applyShape(voice.shape, gain: voice.gain)
                }
                block.applyGain(level)
            }
            voice.gain.advance(by: count)
            level.advance(by: count)
            if isFading {
                nextVoice.gain.advance(by: count)
                fade.advance(by: count)
                if fade.remaining == 0 { endFade() }
            }
            start += count
        }
    }
}

import AudioDSP

/// What is done to the sound: gain, shaper, mute and pause, each without a click when it changes.
///
/// A change of gain is a straight ramp. A change of shape, of the means against its aliases or of their phase is a
/// crossfade between two voices, each a way of shaping with a gain of its own before and one behind; a bypass is the
/// voice without shape at gain 1. So is a change of drive where the level is compensated: both voices have the level
/// that is kept, which two ramps would leave on their way. A voice with filters is first run unheard until they have
/// settled. Where the two have not the same latency, both are heard during the crossfade, each at its own; at its end
/// the latency is the new one. One crossfade runs at a time: what is asked for meanwhile begins when it ends. Everything
/// is counted in frames from the start, so that the output does not depend on how the signal is cut into blocks.
package struct Chain: ~Copyable {
    private struct Voice: BitwiseCopyable {
        var shaping: Shaping
        var gain: Ramp
        /// The gain behind the shape.
        var compensation: Float

        @_noLocks @_noAllocation
        init(_ parameters: Parameters, _ shaper: borrowing AntialiasedShaper) {
            shaping = parameters.shaping
            gain = Ramp(parameters.effectiveGain)
            compensation =
                parameters.compensatesLevel ? shaper.compensation(for: shaping.shape, drive: parameters.drive) : 1
        }

        /// Whether a ramp leads from the one to the other.
        @_noLocks @_noAllocation
        func differsInGainAlone(from other: Voice) -> Bool {
            shaping == other.shaping && compensation == other.compensation
        }
    }

    /// What the chain was told.
    package private(set) var parameters: Parameters
    private var shaper: AntialiasedShaper
    private var voice: Voice
    /// Which of the shaper's two memories is the voice's; the next one takes the other.
    private var memory = 0
    /// The voice that is being faded to, while it settles or `fade` runs.
    private var nextVoice: Voice
    /// For so many frames the next voice is not heard yet.
    private var settling = 0
    private var fade = Ramp(0)
    private var level: Ramp
    private var rampFrames: Int
    /// At the start, for ramps of the same length in time at another rate.
    private var first: (rampFrames: Int, sampleRate: Int)
    private let scratch: Planes

    /// - Parameters:
    ///   - parameters: in force from the first frame on.
    ///   - rampFrames: how long a change takes, 0 or more. With 0 filters start from silence, there and then.
    ///   - maximumFrames: the longest block that will be processed.
    ///   - channels: how many planes will be processed, at most.
    ///   - table: what the shape `table` stands for.
    package init(
        parameters: Parameters, rampFrames: Int, maximumFrames: Int, channels: Int, table: ShapeTable? = nil
    ) {
        self.parameters = parameters
        self.rampFrames = rampFrames
        first = (rampFrames, 48_000)
        shaper = AntialiasedShaper(channels: channels, table: table)
        voice = Voice(parameters, shaper)
        nextVoice = voice
        level = Ramp(parameters.isSilent ? 0 : 1)
        scratch = Planes(channels: 1, capacity: maximumFrames)
    }

    /// Takes parameters over at once, as at the start of a stream of that rate in Hz. Thread: control, while nothing is
    /// processed.
    package mutating func reset(parameters: Parameters, rampFrames: Int, sampleRate: Int) {
        self.parameters = parameters
        self.rampFrames = rampFrames
        first = (rampFrames, max(1, sampleRate))
        shaper.setSampleRate(sampleRate)
        voice = Voice(parameters, shaper)
        shaper.clear(voice: memory)
        settling = 0
        fade = Ramp(0)
        level = Ramp(parameters.isSilent ? 0 : 1)
    }

    /// The rate of what is processed from now on, in hertz: ramps that begin last as long as before, and the blocker of DC
    /// keeps its corner. Between two blocks. Thread: audio. Wait-free.
    @_noLocks @_noAllocation
    package mutating func changeRate(to sampleRate: Int) {
        rampFrames = first.rampFrames * sampleRate / first.sampleRate
        shaper.setSampleRate(sampleRate)
    }

    /// Whether it is paused and has faded out: what is processed now is silence that nobody is to keep.
    /// Thread: audio. Wait-free.
    package var isAtRest: Bool {
        @_noLocks @_noAllocation get { parameters.isPaused && level.remaining == 0 }
    }

    /// Takes a command; it has no effect before `beginChange`. Thread: audio. Wait-free.
    @_noLocks @_noAllocation
    package mutating func take(_ command: Command) { parameters.apply(command) }

    /// Begins the change that the commands taken since the last call come to together: to set out for each of them would
    /// take the time of all. Thread: audio. Wait-free.
    @_noLocks @_noAllocation
    package mutating func beginChange() {
        let wanted: Float = parameters.isSilent ? 0 : 1
        if level.target != wanted { level.move(to: wanted, over: rampFrames) }
        retarget()
    }

    /// Sets out for what the parameters come to, or waits for the present crossfade to end.
    @_noLocks @_noAllocation
    private mutating func retarget() {
        let wanted = Voice(parameters, shaper)
        let gain = wanted.gain.target
        if fade.remaining > 0 {
            if nextVoice.differsInGainAlone(from: wanted) && nextVoice.gain.target != gain {
                nextVoice.gain.move(to: gain, over: rampFrames)
            }
        } else if voice.differsInGainAlone(from: wanted) {
            if voice.gain.target != gain { voice.gain.move(to: gain, over: rampFrames) }
        } else {
            nextVoice = wanted
            if voice.shaping == wanted.shaping {
                // What is constant of a bent sound hardly changes with the drive, as it is heard.
                shaper.hand(voice: memory, to: 1 - memory, blocked: voice.compensation / wanted.compensation)
            } else {
                shaper.clear(voice: 1 - memory)
            }
            settling = wanted.shaping.settlingFrames
            fade = Ramp(0)
            fade.move(to: 1, over: rampFrames)
            if rampFrames == 0 { endFade() }
        }
    }

    /// The voice that was faded to is the one, and a change that waited for this begins.
    @_noLocks @_noAllocation
    private mutating func endFade() {
        voice = nextVoice
        memory = 1 - memory
        settling = 0
        fade = Ramp(0)
        retarget()
    }

    /// Processes the first `frames` frames of each plane, in place. They must be finite. Thread: audio. Wait-free.
    @_noLocks @_noAllocation
    package mutating func process(_ planes: borrowing Planes, frames: Int) {
        process(planes, planes.all, frames: frames)
    }

    /// As above, of one bundle of the planes. Thread: audio. Wait-free.
    @_noLocks @_noAllocation
    mutating func process(_ planes: borrowing Planes, _ bundle: Bundle, frames: Int) {
        if isStill {
            for channel in 0..<bundle.channels {
                shape(planes.run(bundle, channel, count: frames), channel, memory, voice)
            }
        } else {
            processChange(planes, bundle, frames: frames)
        }
    }

    /// Whether nothing changes, and it is neither mute nor paused: so it is in most blocks.
    private var isStill: Bool {
        @_noLocks @_noAllocation get {
            fade.remaining == 0 && voice.gain.remaining == 0 && level.remaining == 0 && level.target == 1
        }
    }

    /// Out of line: to make ready for a change takes as long as to shape a short block.
    @inline(never) @_noLocks @_noAllocation
    private mutating func processChange(_ planes: borrowing Planes, _ bundle: Bundle, frames: Int) {
        var start = 0
        while start < frames {
            let isFading = fade.remaining > 0
            let isHeard = settling == 0
            var count = frames - start
            if isFading { count = min(count, isHeard ? fade.remaining : settling) }
            for channel in 0..<bundle.channels {
                let block = planes.run(bundle, channel, from: start, count: count)
                if isFading {
                    let other = scratch.run(0, count: count)
                    other.copy(from: block)
                    shape(other, channel, 1 - memory, nextVoice)
                    shape(block, channel, memory, voice)
                    if isHeard { block.crossfade(to: other, along: fade) }
                } else {
                    shape(block, channel, memory, voice)
                }
                block.applyGain(level)
            }
            voice.gain.advance(by: count)
            level.advance(by: count)
            if isFading {
                nextVoice.gain.advance(by: count)
                if isHeard { fade.advance(by: count) } else { settling -= count }
                if fade.remaining == 0 { endFade() }
            }
            start += count
        }
    }

    @_noLocks @_noAllocation
    private func shape(_ block: Samples, _ channel: Int, _ memory: Int, _ voice: Voice) {
        shaper.process(block, channel: channel, voice: memory, voice.shaping, gain: voice.gain)
        if voice.compensation != 1 { block.applyGain(Ramp(voice.compensation)) }
    }
}

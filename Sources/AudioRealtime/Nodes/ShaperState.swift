import AudioDSP

/// A shaper node on the audio thread: gain, shape and mute, each without a click when it changes. However many changes are
/// made between two blocks, it sets out once.
///
/// A change of gain is a straight ramp. A change of shape, of the means against its aliases or of their phase is a
/// crossfade between two settings, each a way of shaping with a gain of its own before and one behind; a bypass is the
/// setting without shape at gain 1. So is a change of drive with make-up gain: both settings have the level
/// that is kept, which two ramps would leave on their way. A setting with filters is first run unheard until they have
/// settled. Where the two have not the same latency, both are heard during the crossfade, each at its own; at its end
/// the latency is the new one. One crossfade runs at a time: what is asked for meanwhile begins when it ends. Everything
/// is counted in frames from the start, so that the output does not depend on how the signal is cut into blocks.
package struct ShaperState: ~Copyable {
    private struct Setting: BitwiseCopyable {
        var shaping: Shaping
        var gain: Ramp
        /// The gain behind the shape.
        var makeUpGain: Float

        @_noLocks @_noAllocation
        init(_ parameters: ShaperSetting, _ shaper: inout AntialiasedShaper) {
            shaping = parameters.shaping
            gain = Ramp(parameters.effectiveGain)
            makeUpGain =
                parameters.hasMakeUpGain ? shaper.makeUpGain(for: shaping.shape, drive: parameters.drive) : 1
        }

        /// Whether a ramp leads from the one to the other.
        @_noLocks @_noAllocation
        func differsInGainAlone(from other: Setting) -> Bool {
            shaping == other.shaping && makeUpGain == other.makeUpGain
        }
    }

    // What each block looks at, side by side; the rest is for changes.

    private var news: MailboxReader<ShaperSetting>
    /// Where nothing changes, and it is not mute: what the setting comes to, if that is no more than a curve.
    private var still: StillShape?
    private var fade = Ramp(0)
    private var level: Ramp
    private var setting: Setting
    /// Which of the shaper's two memories is the setting's; the next one takes the other.
    private var memory = 0
    private var shaper: AntialiasedShaper
    /// What it was told.
    package private(set) var parameters: ShaperSetting
    /// The setting that is being faded to, while it settles or `fade` runs.
    private var nextSetting: Setting
    /// For so many frames the next setting is not heard yet.
    private var settling = 0
    private var rampFrames: Int
    /// At the start, for ramps of the same length in time at another rate.
    private var first: (rampFrames: Int, sampleRate: Int)
    private var sampleRate: Int
    private let scratch: Planes

    /// - Parameters:
    ///   - news: brings other parameters.
    ///   - parameters: in force from the first frame on.
    ///   - rampFrames: how long a change takes, 0 or more. With 0 filters start from silence, there and then.
    ///   - maximumFrames: the longest block that will be processed.
    ///   - channels: how many planes will be processed, at most.
    ///   - table: what the shape `table` stands for.
    package init(
        _ news: consuming MailboxReader<ShaperSetting>, parameters: ShaperSetting, rampFrames: Int,
        maximumFrames: Int, channels: Int, table: ShapeTable? = nil
    ) {
        self.news = news
        self.parameters = parameters
        self.rampFrames = rampFrames
        first = (rampFrames, 48_000)
        sampleRate = first.sampleRate
        shaper = AntialiasedShaper(channels: channels, table: table)
        setting = Setting(parameters, &shaper)
        nextSetting = setting
        level = Ramp(parameters.isMuted ? 0 : 1)
        scratch = Planes(channels: 1, capacity: maximumFrames)
        lookForStill()
    }

    /// Takes the newest parameters over at once and clears the filters, as at the start of a stream of that rate in Hz.
    /// Thread: control, while nothing is processed.
    package mutating func reset(rampFrames: Int, sampleRate: Int) {
        if let newest = news.take() { parameters = newest }
        self.rampFrames = rampFrames
        first = (rampFrames, max(1, sampleRate))
        self.sampleRate = sampleRate
        shaper.setSampleRate(sampleRate)
        setting = Setting(parameters, &shaper)
        shaper.clear(setting: memory)
        settling = 0
        fade = Ramp(0)
        level = Ramp(parameters.isMuted ? 0 : 1)
        lookForStill()
    }

    @_noLocks @_noAllocation
    private mutating func lookForStill() {
        still =
            isStill && setting.makeUpGain == 1
            ? StillShape(setting.shaping, gain: setting.gain, shaper.instructions) : nil
    }

    /// The rate of what is processed from now on, in hertz: ramps that begin last as long as before, and the blocker of DC
    /// keeps its corner. Between two blocks. Thread: audio. Wait-free.
    @_noLocks @_noAllocation
    mutating func changeRate(to sampleRate: Int) {
        guard sampleRate != self.sampleRate else { return }
        self.sampleRate = sampleRate
        rampFrames = first.rampFrames * sampleRate / first.sampleRate
        shaper.setSampleRate(sampleRate)
    }

    /// Sets out for the newest parameters. Out of line: in most blocks there are none.
    @inline(never) @_noLocks @_noAllocation
    private mutating func takeNews() {
        guard let newest = news.take() else { return }
        parameters = newest
        let wanted: Float = parameters.isMuted ? 0 : 1
        if level.target != wanted { level.move(to: wanted, over: rampFrames) }
        retarget()
        lookForStill()
    }

    /// Sets out for what the parameters come to, or waits for the present crossfade to end.
    @_noLocks @_noAllocation
    private mutating func retarget() {
        let wanted = Setting(parameters, &shaper)
        let gain = wanted.gain.target
        if fade.remaining > 0 {
            if nextSetting.differsInGainAlone(from: wanted) && nextSetting.gain.target != gain {
                nextSetting.gain.move(to: gain, over: rampFrames)
            }
        } else if setting.differsInGainAlone(from: wanted) {
            if setting.gain.target != gain { setting.gain.move(to: gain, over: rampFrames) }
        } else {
            nextSetting = wanted
            if setting.shaping == wanted.shaping {
                // The shaper's DC offset hardly depends on the drive, as it is heard.
                shaper.hand(setting: memory, to: 1 - memory, blocked: setting.makeUpGain / wanted.makeUpGain)
            } else {
                shaper.clear(setting: 1 - memory)
            }
            settling = wanted.shaping.settlingFrames
            fade = Ramp(0)
            fade.move(to: 1, over: rampFrames)
            if rampFrames == 0 { endFade() }
        }
    }

    /// The setting that was faded to is the one, and a change that waited for this begins.
    @_noLocks @_noAllocation
    private mutating func endFade() {
        setting = nextSetting
        memory = 1 - memory
        settling = 0
        fade = Ramp(0)
        retarget()
    }

    /// Processes the first `frames` frames of a bundle, in place, with the newest parameters. They must be finite.
    /// Thread: audio. Wait-free.
    ///
    /// - Returns: whether what has come out is finite for sure: a curve was behind the gain, and nothing changed.
    @discardableResult @_noLocks @_noAllocation
    package mutating func process(_ planes: borrowing Planes, _ bundle: Bundle, frames: Int) -> Bool {
        if news.hasNew { takeNews() }
        if let still {
            for channel in 0..<bundle.channels { still.apply(to: planes.run(bundle, channel, count: frames)) }
            return true
        }
        guard isStill else {
            processChange(planes, bundle, frames: frames)
            lookForStill()
            return false
        }
        for channel in 0..<bundle.channels {
            shape(planes.run(bundle, channel, count: frames), channel, memory, setting)
        }
        if case .off = setting.shaping.shape { return false }
        return true
    }

    /// Whether nothing changes, and it is not mute: so it is in most blocks.
    private var isStill: Bool {
        @_noLocks @_noAllocation get {
            fade.remaining == 0 && setting.gain.remaining == 0 && level.remaining == 0 && level.target == 1
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
                    shape(other, channel, 1 - memory, nextSetting)
                    shape(block, channel, memory, setting)
                    if isHeard { block.crossfade(to: other, along: fade) }
                } else {
                    shape(block, channel, memory, setting)
                }
                block.applyGain(level)
            }
            setting.gain.advance(by: count)
            level.advance(by: count)
            if isFading {
                nextSetting.gain.advance(by: count)
                if isHeard { fade.advance(by: count) } else { settling -= count }
                if fade.remaining == 0 { endFade() }
            }
            start += count
        }
    }

    @_noLocks @_noAllocation
    private mutating func shape(_ block: Samples, _ channel: Int, _ memory: Int, _ setting: Setting) {
        shaper.process(block, channel: channel, setting: memory, setting.shaping, gain: setting.gain)
        if setting.makeUpGain != 1 { block.applyGain(Ramp(setting.makeUpGain)) }
    }
}

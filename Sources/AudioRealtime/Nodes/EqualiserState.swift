import AudioDSP

/// An equaliser node on the audio thread.
///
/// A change is a crossfade between two sets of filters. The new set runs unheard until the bands that are new in it have
/// settled, for a tenth of a second at most, and is then faded to; the bands that stay take their past along. One change runs
/// at a time: the newest of what is asked for meanwhile begins when it ends. Everything is counted in frames, so that the
/// output does not depend on how the signal is cut into blocks. Without bands the sound passes bit for bit.
struct EqualiserState: AudioProcessor, ~Copyable {
    private var settings: MailboxReader<EqualiserSetting>
    private var bank: BiquadBank
    /// Which of the bank's two settings is heard; the next one takes the other.
    private var current = 0
    /// For so many frames the next setting is not heard yet.
    private var settling = 0
    private var fade = Ramp(0)
    /// What the next setting makes of a part of a block.
    private let scratch: Planes
    private let rampMilliseconds: Double

    /// - Parameters:
    ///   - setting: in force from the first frame on.
    ///   - settings: brings others.
    ///   - rampMilliseconds: how long a crossfade lasts.
    init(
        channels: Int, setting: EqualiserSetting, settings: consuming MailboxReader<EqualiserSetting>,
        rampMilliseconds: Double
    ) {
        self.settings = settings
        self.rampMilliseconds = rampMilliseconds
        bank = BiquadBank(channels: channels)
        bank.set(0, to: setting)
        scratch = Planes(channels: 2, capacity: 256)
    }

    /// Takes the newest setting over at once, with silence behind it, as at the start of a stream. Thread: control, while
    /// nothing is rendered.
    mutating func reset(sampleRate: Int) {
        if fade.remaining > 0 { current = 1 - current }
        if let setting = settings.take() { bank.set(current, to: setting) } else { bank.clear(current) }
        settling = 0
        fade = Ramp(0)
    }

    /// Thread: audio. Wait-free.
    @_noLocks @_noAllocation
    mutating func process(_ block: borrowing ProcessorBlock) {
        if fade.remaining == 0 { look(block.sampleRate) }
        if fade.remaining == 0 {
            filter(block, 0, block.frames)
        } else {
            processChange(block)
        }
    }

    @_noLocks @_noAllocation
    private func filter(_ block: borrowing ProcessorBlock, _ start: Int, _ count: Int) {
        guard !bank.isFlat(current) else { return }
        for pair in 0..<(block.channels + 1) / 2 {
            let left = block.run(2 * pair, from: start, count: count)
            let right = block.run(min(2 * pair + 1, block.channels - 1), from: start, count: count)
            bank.process(left, right, pair: pair, setting: current)
        }
    }

    /// Sets out for a new setting where there is one.
    @inline(never) @_noLocks @_noAllocation
    private mutating func look(_ sampleRate: Int) {
        guard let setting = settings.take() else { return }
        bank.set(1 - current, to: setting)
        guard let frames = bank.hand(current, to: 1 - current) else { return }
        settling = frames
        fade = Ramp(0)
        let rampFrames = Ramp.frames(milliseconds: rampMilliseconds, sampleRate: sampleRate)
        fade.move(to: 1, over: rampFrames)
        if rampFrames == 0 { endFade() }
    }

    @_noLocks @_noAllocation
    private mutating func endFade() {
        current = 1 - current
        settling = 0
        fade = Ramp(0)
    }

    @inline(never) @_noLocks @_noAllocation
    private mutating func processChange(_ block: borrowing ProcessorBlock) {
        var start = 0
        while start < block.frames {
            guard fade.remaining > 0 else { return filter(block, start, block.frames - start) }
            let isHeard = settling == 0
            let count = min(min(isHeard ? fade.remaining : settling, block.frames - start), scratch.capacity)
            for pair in 0..<(block.channels + 1) / 2 {
                let isSingle = 2 * pair + 1 == block.channels
                let left = block.run(2 * pair, from: start, count: count)
                let right = isSingle ? left : block.run(2 * pair + 1, from: start, count: count)
                let otherLeft = scratch.run(0, count: count)
                let otherRight = isSingle ? otherLeft : scratch.run(1, count: count)
                otherLeft.copy(from: left)
                if !isSingle { otherRight.copy(from: right) }
                bank.process(otherLeft, otherRight, pair: pair, setting: 1 - current)
                bank.process(left, right, pair: pair, setting: current)
                guard isHeard else { continue }
                left.crossfade(to: otherLeft, along: fade)
                if !isSingle { right.crossfade(to: otherRight, along: fade) }
            }
            if isHeard { fade.advance(by: count) } else { settling -= count }
            if fade.remaining == 0 {
                endFade()
                look(block.sampleRate)
            }
            start += count
        }
    }
}

/// An equaliser's state, and the end of the mailbox by which settings reach it. Thread: control, one at a time.
package struct EqualiserControl: ~Copyable {
    /// What the audio thread runs.
    package let state: Cell<ProcessorState>
    private var settings: MailboxWriter<EqualiserSetting>

    /// - Parameters:
    ///   - setting: in force from the first frame on.
    ///   - rampMilliseconds: how long a crossfade to another one lasts.
    package init(channels: Int, _ setting: EqualiserSetting, rampMilliseconds: Double = 10) {
        let mailbox = Mailbox(setting)
        settings = mailbox.writer
        let equaliser = EqualiserState(
            channels: channels, setting: setting, settings: mailbox.reader, rampMilliseconds: rampMilliseconds)
        state = Cell(ProcessorState(equaliser, equalise, sampleRate: setting.sampleRate, nature: .ours))
    }

    /// Sets out for another setting: of other bands, or of the same at another sample rate. Wait-free.
    package mutating func put(_ setting: EqualiserSetting) { settings.put(setting) }
}

@_noLocks @_noAllocation
private func equalise(_ call: ProcessorCall) { call.process(EqualiserState.self) }

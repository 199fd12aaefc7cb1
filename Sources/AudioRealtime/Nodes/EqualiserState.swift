import AudioDSP

/// An equaliser node on the audio thread.
///
/// A change is a crossfade between two sets of filters. The new set runs unheard until the bands that are new in it have
/// settled, for a tenth of a second at most, and is then faded to; the bands that stay take their past along. One change runs
/// at a time: the newest of what is asked for meanwhile begins when it ends. Everything is counted in frames, so that the
/// output does not depend on how the signal is cut into blocks. Without bands the sound passes bit for bit.
package struct EqualiserState: ~Copyable {
    private var settings: MailboxReader<EqualiserSetting>
    private var bank: BiquadBank
    /// Which of the bank's two settings is heard; the next one takes the other.
    private var current = 0
    /// For so many frames the next setting is not heard yet.
    private var settling = 0
    private var fade = Ramp(0)
    /// What the next setting makes of a part of a block.
    private let scratch: Planes

    /// - Parameters:
    ///   - setting: in force from the first frame on.
    ///   - settings: brings others.
    package init(channels: Int, setting: EqualiserSetting, settings: consuming MailboxReader<EqualiserSetting>) {
        self.settings = settings
        bank = BiquadBank(channels: channels)
        bank.set(0, to: setting)
        scratch = Planes(channels: 2, capacity: 256)
    }

    /// Takes the newest setting over at once, with silence behind it, as at the start of a stream. Thread: control, while
    /// nothing is rendered.
    package mutating func reset() {
        if fade.remaining > 0 { current = 1 - current }
        if let setting = settings.take() { bank.set(current, to: setting) } else { bank.clear(current) }
        settling = 0
        fade = Ramp(0)
    }

    /// Thread: audio. Wait-free.
    @_noLocks @_noAllocation
    mutating func process(_ planes: borrowing Planes, _ bundle: Bundle, frames: Int, rampFrames: Int) {
        if fade.remaining == 0 { look(rampFrames) }
        if fade.remaining == 0 {
            filter(planes, bundle, 0, frames)
        } else {
            processChange(planes, bundle, frames, rampFrames)
        }
    }

    @_noLocks @_noAllocation
    private func filter(_ planes: borrowing Planes, _ bundle: Bundle, _ start: Int, _ count: Int) {
        guard !bank.isFlat(current) else { return }
        for pair in 0..<(bundle.channels + 1) / 2 {
            let left = planes.run(bundle, 2 * pair, from: start, count: count)
            let right = planes.run(bundle, min(2 * pair + 1, bundle.channels - 1), from: start, count: count)
            bank.process(left, right, pair: pair, setting: current)
        }
    }

    /// Sets out for a new setting where there is one.
    @inline(never) @_noLocks @_noAllocation
    private mutating func look(_ rampFrames: Int) {
        guard let setting = settings.takeRealtime() else { return }
        bank.set(1 - current, to: setting)
        guard let frames = bank.hand(current, to: 1 - current) else { return }
        settling = frames
        fade = Ramp(0)
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
    private mutating func processChange(_ planes: borrowing Planes, _ bundle: Bundle, _ frames: Int, _ rampFrames: Int)
    {
        var start = 0
        while start < frames {
            guard fade.remaining > 0 else { return filter(planes, bundle, start, frames - start) }
            let isHeard = settling == 0
            let count = min(min(isHeard ? fade.remaining : settling, frames - start), scratch.capacity)
            for pair in 0..<(bundle.channels + 1) / 2 {
                let isSingle = 2 * pair + 1 == bundle.channels
                let left = planes.run(bundle, 2 * pair, from: start, count: count)
                let right = isSingle ? left : planes.run(bundle, 2 * pair + 1, from: start, count: count)
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
                look(rampFrames)
            }
            start += count
        }
    }
}

/// An equaliser's state, and the end of the mailbox by which settings reach it. Thread: control, one at a time.
package struct EqualiserControl: ~Copyable {
    /// What the audio thread runs.
    package let state: Cell<EqualiserState>
    private var settings: MailboxWriter<EqualiserSetting>

    /// - Parameter setting: in force from the first frame on.
    package init(channels: Int, _ setting: EqualiserSetting) {
        let mailbox = Mailbox(setting)
        settings = mailbox.writer
        state = Cell(EqualiserState(channels: channels, setting: setting, settings: mailbox.reader))
    }

    /// Sets out for another setting: of other bands, or of the same at another sample rate. Wait-free.
    package mutating func put(_ setting: EqualiserSetting) { settings.put(setting) }
}

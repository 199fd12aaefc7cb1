import CAudioDSP

/// Biquads in a row for any number of channels, with all that they remember.
///
/// It remembers two settings apart, so that one can be faded to the other. Everything is allocated when it is made. A
/// signal comes out the same to the bit however it is cut into blocks.
///
/// Two channels are filtered at once, one in each half of a vector of doubles, and four stages in one pass: while one stage
/// waits for what it made of a sample, the processor works on the next sample in the stage before. (Transposed direct form
/// II; in double precision its rounding lies below −120 dB even for a resonance of Q 40 at 10 Hz.)
@safe package struct BiquadBank: ~Copyable {
    /// How many stages one pass takes.
    private static var group: Int { @_noLocks @_noAllocation get { 4 } }
    /// The longest part of a block that is worked on at once, in frames.
    private static var partFrames: Int { @_noLocks @_noAllocation get { 256 } }
    private static var settings: Int { @_noLocks @_noAllocation get { 2 } }
    /// How many doubles a stage remembers of a pair of channels.
    private static var stageMemory: Int { @_noLocks @_noAllocation get { 4 } }
    private static var memoryLength: Int {
        @_noLocks @_noAllocation get { stageMemory * EqualiserSetting.maximumBands }
    }

    private let memory: Row<Double>
    private let biquads: Row<Biquad>
    private let settlingFrames: Row<Int>
    /// The frames that are worked on: the left and the right sample of each.
    private let part: Row<Double>
    private var counts: InlineArray<2, Int> = [0, 0]
    private let pairs: Int

    package init(channels: Int) {
        precondition(channels >= 1)
        pairs = (channels + 1) / 2
        memory = Row(zeros: Self.settings * pairs * Self.memoryLength)
        let stageCount = Self.settings * EqualiserSetting.maximumBands
        biquads = Row([Biquad](repeating: .identity, count: stageCount))
        settlingFrames = Row(zeros: stageCount)
        part = Row(zeros: 2 * Self.partFrames)
    }

    /// Whether a setting passes the sound on as it is.
    @_noLocks @_noAllocation
    package func isFlat(_ setting: Int) -> Bool { counts[setting] == 0 }

    /// Loads one of the two settings and clears its memory. Thread: audio. Wait-free.
    @_noLocks @_noAllocation
    package mutating func set(_ number: Int, to setting: borrowing EqualiserSetting) {
        precondition(number >= 0 && number < Self.settings)
        counts[number] = setting.count
        // SAFETY: each setting has room for all stages.
        let first = number * EqualiserSetting.maximumBands
        for index in 0..<EqualiserSetting.maximumBands {
            let stage = setting.stages[index]
            unsafe biquads.base[first + index] = stage.biquad
            unsafe settlingFrames.base[first + index] = stage.settlingFrames
        }
        clear(number)
    }

    /// Silence behind one of the two settings. Thread: audio. Wait-free.
    @_noLocks @_noAllocation
    package func clear(_ number: Int) {
        for pair in 0..<pairs { clear(number, pair) }
    }

    @_noLocks @_noAllocation
    private func clear(_ number: Int, _ pair: Int) {
        let memory = unsafe memory(of: pair, number)
        for index in 0..<Self.memoryLength { unsafe memory[index] = 0 }
    }

    /// Hands what the stages of one setting remember to those of the other that are the same, in the same order. Returns after
    /// how many frames the ones that are not have settled, or `nil` where the two settings are the same. Thread: audio.
    /// Wait-free.
    @_noLocks @_noAllocation
    package func hand(_ number: Int, to other: Int) -> Int? {
        let mine = counts[number]
        let theirs = counts[other]
        var settling = 0
        var found = 0
        var next = 0
        for index in 0..<theirs {
            let place = place(of: biquad(other, index), in: number, from: next)
            if place < mine {
                next = place + 1
                found += 1
                for pair in 0..<pairs {
                    // SAFETY: each setting has memory for all stages.
                    let from = unsafe memory(of: pair, number) + Self.stageMemory * place
                    let to = unsafe memory(of: pair, other) + Self.stageMemory * index
                    for part in 0..<Self.stageMemory { unsafe to[part] = from[part] }
                }
            } else {
                settling = unsafe max(settling, settlingFrames.base[other * EqualiserSetting.maximumBands + index])
            }
        }
        return found == mine && found == theirs ? nil : settling
    }

    /// Where a setting has such a stage, from the stage `first` on; behind the last where it has none.
    @_noLocks @_noAllocation
    private func place(of wanted: Biquad, in setting: Int, from first: Int) -> Int {
        let count = counts[setting]
        var stage = first
        while stage < count {
            if biquad(setting, stage) == wanted { return stage }
            stage += 1
        }
        return count
    }

    @_noLocks @_noAllocation
    private func biquad(_ setting: Int, _ stage: Int) -> Biquad {
        // SAFETY: stages are counted below `counts`.
        unsafe biquads.base[setting * EqualiserSetting.maximumBands + stage]
    }

    @unsafe @_noLocks @_noAllocation
    private func memory(of pair: Int, _ setting: Int) -> UnsafeMutablePointer<Double> {
        precondition(pair >= 0 && pair < pairs && setting >= 0 && setting < Self.settings)
        return unsafe memory.base + (setting * pairs + pair) * Self.memoryLength
    }

    /// Filters a channel with an even number and the next one, in place. What is not finite, or becomes so, is silence for
    /// its block, and is forgotten. Thread: audio. Wait-free.
    ///
    /// - Parameters:
    ///   - right: as long as `left`; the same run where there is no other channel.
    ///   - pair: half the number of the left channel.
    ///   - setting: 0 or 1.
    @_noLocks @_noAllocation
    package func process(_ left: Samples, _ right: Samples, pair: Int, setting: Int) {
        precondition(left.count == right.count)
        let count = counts[setting]
        guard count > 0 else { return }
        let memory = unsafe memory(of: pair, setting)
        // SAFETY: as in `set`.
        let biquads = unsafe biquads.base + setting * EqualiserSetting.maximumBands
        var start = 0
        while start < left.count {
            let frames = min(Self.partFrames, left.count - start)
            let left = left.slice(from: start, count: frames)
            let right = right.slice(from: start, count: frames)
            take(left, right)
            var stage = 0
            while stage < count {
                // Stages that are missing in the last group pass the sound on as it is.
                unsafe caudiodsp_biquads(
                    part.base, frames, UnsafeRawPointer(biquads + stage).assumingMemoryBound(to: Double.self),
                    memory + Self.stageMemory * stage)
                stage += Self.group
            }
            let restLeft = unsafe part.base[2 * frames - 2] - part.base[2 * frames - 2]
            let restRight = unsafe part.base[2 * frames - 1] - part.base[2 * frames - 1]
            if restLeft == 0 && restRight == 0 {
                give(left, right)
            } else {
                clear(setting, pair)
                left.clear()
                right.clear()
            }
            start += frames
        }
    }

    // Both count without a check for overflow, which would keep the compiler from taking several frames at once.

    @inline(__always) @_noLocks @_noAllocation
    private func take(_ left: Samples, _ right: Samples) {
        // SAFETY: the samples are no more than the part has frames.
        let part = unsafe part.base
        for index in 0..<left.count {
            unsafe part[2 &* index] = Double(left[index])
            unsafe part[2 &* index &+ 1] = Double(right[index])
        }
    }

    @inline(__always) @_noLocks @_noAllocation
    private func give(_ left: Samples, _ right: Samples) {
        // SAFETY: as in `take`.
        let part = unsafe part.base
        for index in 0..<left.count {
            unsafe left[index] = Float(part[2 &* index])
            unsafe right[index] = Float(part[2 &* index &+ 1])
        }
    }
}

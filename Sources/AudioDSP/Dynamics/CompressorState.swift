/// A feed-forward compressor on the audio thread, by Giannoulis, Massberg and Reiss (J. Audio Eng. Soc. 60, 2012): levels and
/// gains in decibels, and the smooth decoupled peak detector behind the static curve.
///
/// All channels have the gain of the loudest, so that a stereo image stays where it is. It adds no latency. Its state is
/// counted frame by frame: the sound comes out the same however it is cut into blocks.
package struct CompressorState: ~Copyable {
    private var setting: CompressorSetting
    private var sampleRate = 0
    /// The outputs of the two smoothers in decibels. In double precision, because with long times one step is a millionth.
    private var held = 0.0
    private var reduction = 0.0
    private var attackShare = 0.0
    private var holdShare = 0.0
    private var makeUp: Ramp
    /// How much of the reduction and the make-up gain is heard.
    private var share: Ramp

    package init(_ setting: CompressorSetting) {
        self.setting = setting
        makeUp = Ramp(Self.linear(setting.makeUp))
        share = Ramp(setting.isBypassed ? 0 : 1)
    }

    /// The reduction after the last frame, in decibels, 0 or more; 0 where it is bypassed. Thread: audio.
    package var reductionDecibels: Float { @_noLocks @_noAllocation get { share.target * Float(reduction) } }

    /// Forgets what was heard. Thread: control, while nothing is processed.
    package mutating func reset() {
        (held, reduction) = (0, 0)
        makeUp = Ramp(Self.linear(setting.makeUp))
        share = Ramp(setting.isBypassed ? 0 : 1)
    }

    /// Takes effect with the next block: the reduction follows within the attack and release times, the make-up gain within
    /// 20 ms. Thread: audio. Wait-free.
    @_noLocks @_noAllocation
    package mutating func change(to setting: CompressorSetting) {
        self.setting = setting
        let wanted = Self.linear(setting.makeUp)
        if makeUp.target != wanted { makeUp.move(to: wanted, over: sampleRate / 50) }
        let wantedShare: Float = setting.isBypassed ? 0 : 1
        if share.target != wantedShare { share.move(to: wantedShare, over: sampleRate / 100) }
        setShares()
    }

    /// Processes a block in place; its samples must be finite. Thread: audio. Wait-free.
    @_noLocks @_noAllocation
    package mutating func process(_ block: borrowing ProcessorBlock) {
        if block.sampleRate != sampleRate {
            sampleRate = block.sampleRate
            setShares()
        }
        var frame = 0
        while frame < block.frames {
            let count = min(Vector.scalarCount, block.frames - frame)
            // −200 dB stand for silence.
            var loudest = Vector(repeating: 1e-10)
            for channel in 0..<block.channels {
                let magnitudes = block.vector(channel, frame).magnitudes
                loudest = loudest.replacing(with: magnitudes, where: magnitudes .> loudest)
            }
            let wanted = setting.reduction(loudest.logarithmOfTwo * 6.020_599_8)
            var gains = Vector.zero
            for lane in 0..<count {
                let now = Double(wanted[lane])
                held = now > held ? now : held + holdShare * (now - held)
                reduction += attackShare * (held - reduction)
                gains[lane] = Float(reduction)
            }
            // log₂ 10 / 20.
            gains = (gains * -0.166_096_4).powerOfTwo
            let isUnheard = share.remaining == 0 && share.target == 0
            for lane in 0..<count {
                gains[lane] = share.heard(gains[lane] * makeUp.value)
                makeUp.advance(by: 1)
                share.advance(by: 1)
            }
            for channel in 0..<block.channels where !isUnheard {
                block.store(block.vector(channel, frame) * gains, channel, frame)
            }
            frame += count
        }
    }

    @_noLocks @_noAllocation
    private mutating func setShares() {
        attackShare = Self.share(ofMilliseconds: setting.attack, sampleRate)
        holdShare = Self.share(ofMilliseconds: setting.hold, sampleRate)
    }

    /// The coefficient of a one-pole smoother of that time: 1 − exp(−x), x = 1 / (time · rate), by the
    /// (3, 3) Padé approximant of the exponential. Off by at most 6 millionths of itself for x ≤ 1, and 2 thousandths for x ≤ 3.
    @_noLocks @_noAllocation
    static func share(ofMilliseconds time: Float, _ sampleRate: Int) -> Double {
        let x = min(1000 / (Double(time) * Double(max(sampleRate, 1))), 3)
        let even = 1 + x * x * 0.1
        let odd = x * (0.5 + x * x / 120)
        return 2 * odd / (even + odd)
    }

    @_noLocks @_noAllocation
    private static func linear(_ decibels: Float) -> Float { (Vector(repeating: decibels) * 0.166_096_4).powerOfTwo[0] }
}

extension Ramp {
    /// The sum of a gain and of unity gain, weighted by the ramp: 1 is the gain alone.
    @inline(__always) @_noLocks @_noAllocation
    func heard(_ gain: Float) -> Float { remaining == 0 && target == 1 ? gain : 1 + value * (gain - 1) }
}

extension ProcessorBlock {
    /// The eight samples of a channel from a frame on; behind the block's end they are silence.
    @inline(__always) @_noLocks @_noAllocation
    func vector(_ channel: Int, _ frame: Int) -> Vector {
        let samples = run(channel, from: frame, count: min(Vector.scalarCount, frames - frame))
        return samples.count == Vector.scalarCount ? samples.load(0) : samples.loadRest()
    }

    /// Writes as many of them as the block has.
    @inline(__always) @_noLocks @_noAllocation
    func store(_ vector: Vector, _ channel: Int, _ frame: Int) {
        let samples = run(channel, from: frame, count: min(Vector.scalarCount, frames - frame))
        if samples.count == Vector.scalarCount { samples.store(vector, 0) } else { samples.storeRest(vector) }
    }
}

/// The parameters of a limiter. A value out of range is clamped; NaN becomes the lower limit.
public struct LimiterSetting: BitwiseCopyable, ParameterSetting, Equatable {
    /// The greatest true peak of what leaves it, in decibels of full scale (dBTP), −60…0.
    public var ceiling: Float = -1 { didSet { ceiling = Self.ceilings.held(ceiling) } }
    /// The time to lose 63 % of a reduction, in milliseconds, 1…5000.
    public var release: Float = 50 { didSet { release = Self.releases.held(release) } }
    /// Leaves the sound as it is, at the same latency; faded over 10 ms.
    public var isBypassed = false

    private static let ceilings = -60.0...0, releases = 1.0...5000

    public static let fields: [ParameterField<Self>] = [
        .number("ceiling", "greatest true peak at the output", ceilings, unit: "dB", span: -24...0, \.ceiling),
        .number(
            "release", "time in which 63 % of a reduction go", releases, unit: "ms", span: 5...1000,
            taper: .logarithmic, \.release),
        .flag("bypass", "leave the signal alone: no limiter", \.isBypassed),
    ]

    public init() {}

    /// - Parameters: as the properties; `nil` is a property's initial value.
    public init(ceiling: Float? = nil, release: Float? = nil) {
        self.init()
        // Property observers do not run in an initialiser.
        self.ceiling = Self.ceilings.held(ceiling ?? self.ceiling)
        self.release = Self.releases.held(release ?? self.release)
    }
}

/// A limiter on the audio thread that looks ahead: what leaves it never has a true peak above its ceiling, by the meters
/// that `TruePeakFilters` names.
///
/// For each frame it knows the gain at which the peaks next to it are at the ceiling. The least gain of a window goes through
/// the release and two means in a row, which turn a step into a smooth slope. At each peak all that the means see is at or
/// below the gain that it needs, and so are the frames near it which the meters' filters see. All channels have the same
/// gain. Everything is counted frame by frame: the sound comes out the same however it is cut into blocks.
@safe package struct LimiterState: ~Copyable {
    /// How long the slope is, in frames, at any rate: on one of fewer than 48, what meters interpolate would be above the
    /// ceiling.
    private static var slope: Int { @_noLocks @_noAllocation get { 96 } }
    /// So many frames on either side of a peak have its gain too: half of what a meter's filter sees.
    private static var plateau: Int { @_noLocks @_noAllocation get { 12 } }
    /// Gains are fixed-point numbers with this scale, because running sums of integers do not drift.
    private static var unit: Double { @_noLocks @_noAllocation get { 1_099_511_627_776 } }
    /// Frames that are worked on at once.
    private static var partFrames: Int { @_noLocks @_noAllocation get { 64 } }

    private var setting: LimiterSetting
    private let filters = TruePeakFilters()
    private let channels: Int
    /// The sound of each channel: what is late, and behind it the part that is worked on.
    private let memory: Row<Float>
    private var minimum: SlidingMinimum
    private var first: RunningMean
    private var second: RunningMean
    private var released = 1.0
    /// Of the last block.
    private var sampleRate = 48000
    /// How much of the reduction is heard.
    private var share: Ramp
    private var gain: Float = 1

    /// - Parameter channels: 1 or more.
    package init(_ setting: LimiterSetting, channels: Int) {
        precondition(channels >= 1)
        self.setting = setting
        share = Ramp(setting.isBypassed ? 0 : 1)
        self.channels = channels
        minimum = SlidingMinimum(window: Self.slope + 2 * Self.plateau)
        first = RunningMean(length: Self.slope / 2, of: Int64(Self.unit))
        second = RunningMean(length: Self.slope - Self.slope / 2 + 1, of: Int64(Self.unit))
        memory = Row(zeros: channels * Self.stride)
    }

    /// How much later the sound leaves than it came, in frames.
    package static var latencyFrames: Int {
        @_noLocks @_noAllocation get { slope + plateau - 1 + TruePeakFilters.span - TruePeakFilters.before - 1 }
    }
    /// In front of a channel's part.
    private static var past: Int { @_noLocks @_noAllocation get { latencyFrames + TruePeakFilters.span } }
    /// With room for the last vector of a part.
    private static var stride: Int { @_noLocks @_noAllocation get { past + partFrames + Vector.scalarCount } }

    /// The reduction of the last frame, in decibels, 0 or more. Thread: audio.
    package var reductionDecibels: Float {
        @_noLocks @_noAllocation get { Vector(repeating: gain).logarithmOfTwo[0] * -6.020_599_8 }
    }

    /// Forgets what was heard. Thread: control, while nothing is processed.
    package mutating func reset() {
        memory.samples.clear()
        minimum.clear()
        first.fill(Int64(Self.unit))
        second.fill(Int64(Self.unit))
        (released, gain) = (1, 1)
        share = Ramp(setting.isBypassed ? 0 : 1)
    }

    /// What holds from the next block on. A lower ceiling holds from the sound on that comes then. Thread: audio. Wait-free.
    @_noLocks @_noAllocation
    package mutating func change(to setting: LimiterSetting) {
        self.setting = setting
        let wanted: Float = setting.isBypassed ? 0 : 1
        if share.target != wanted { share.move(to: wanted, over: sampleRate / 100) }
    }

    /// Processes a block in place; its samples must be finite. Thread: audio. Wait-free.
    @_noLocks @_noAllocation
    package mutating func process(_ block: borrowing ProcessorBlock) {
        precondition(block.channels == channels)
        sampleRate = block.sampleRate
        let release = CompressorState.share(ofMilliseconds: setting.release, block.sampleRate)
        // A hair lower, for the rounding of samples.
        let ceiling = Double((Vector(repeating: setting.ceiling - 0.001) * 0.166_096_4).powerOfTwo[0])
        var start = 0
        while start < block.frames {
            let count = min(Self.partFrames, block.frames - start)
            for channel in 0..<channels {
                line(channel).slice(from: Self.past, count: count).copy(
                    from: block.run(channel, from: start, count: count))
            }
            var frame = 0
            while frame < count {
                let lanes = min(Vector.scalarCount, count - frame)
                // The last value's span ends with the newest frame.
                var peaks = Vector.zero
                for channel in 0..<channels {
                    let found = filters.peaks(line(channel), from: Self.past + frame + 1 - TruePeakFilters.span)
                    peaks = peaks.replacing(with: found, where: found .> peaks)
                }
                var gains = Vector.zero
                for lane in 0..<lanes {
                    gains[lane] = share.heard(next(peak: Double(peaks[lane]), ceiling: ceiling, release: release))
                    share.advance(by: 1)
                }
                gain = gains[lanes - 1]
                for channel in 0..<channels {
                    let late = line(channel).load(TruePeakFilters.span + frame)
                    block.store(late * gains, channel, start + frame)
                }
                frame += lanes
            }
            for channel in 0..<channels {
                let line = line(channel)
                // Forwards, one after the other: the two may overlap.
                for index in 0..<Self.past { line[index] = line[index + count] }
            }
            start += count
        }
    }

    /// The gain of the frame that leaves, from the peak behind the one that was looked at last.
    @_noLocks @_noAllocation
    private mutating func next(peak: Double, ceiling: Double, release: Double) -> Float {
        let needed = peak > ceiling ? Int64(ceiling / peak * Self.unit) : Int64(Self.unit)
        let least = Double(minimum.add(needed)) / Self.unit
        released = min(least, released + release * (1 - released))
        return Float(Double(second.add(first.add(Int64(released * Self.unit)))) / Self.unit)
    }

    @inline(__always) @_noLocks @_noAllocation
    private func line(_ channel: Int) -> Samples {
        // SAFETY: there are so many channels.
        unsafe Samples(memory.base + channel * Self.stride, count: Self.stride)
    }
}

/// A moving average of integers. Its running sum does not drift.
@safe private struct RunningMean: ~Copyable {
    private let values: Row<Int64>
    private var place = 0
    private var sum: Int64 = 0

    init(length: Int, of value: Int64) {
        values = Row([Int64](repeating: value, count: length))
        sum = value * Int64(length)
    }

    mutating func fill(_ value: Int64) {
        // SAFETY: so many were allocated.
        unsafe values.base.update(repeating: value, count: values.count)
        sum = value * Int64(values.count)
    }

    /// Rounded down: a mean of gains is not above them.
    @_noLocks @_noAllocation
    mutating func add(_ value: Int64) -> Int64 {
        // SAFETY: the place is within.
        sum += value - (unsafe values.base[place])
        unsafe values.base[place] = value
        place = place + 1 == values.count ? 0 : place + 1
        return sum / Int64(values.count)
    }
}

import AudioDSP
import CEbur128
import Glibc

/// Measures the loudness and the true peak of a sound that is given to it piece by piece, by libebur128.
///
/// True peak is that of the sound at four times its sample rate, from 96 kHz on at twice, from 192 kHz on as it is.
/// Integrated loudness and range come from histograms in steps of 0.1 LU, so that memory does not grow with time. Where
/// much of a sound lies at the gate, as in a short file, that step matters: what is known to end can be measured exactly.
@safe package final class LoudnessAnalyzer: SoundAnalyzer {
    /// libebur128 offers the momentary and short-term loudness too, each as a sum over all of its window. They are
    /// made here of the energy of each 10 ms instead, which is the same sum: it costs a tenth, and so can be done often
    /// enough that a maximum is not missed between two looks (EBU Tech 3341, case 13).
    private static let stepMilliseconds = 10

    private let state: UnsafeMutablePointer<ebur128_state>
    package let channels: Int
    package private(set) var sampleRate: Int
    private var stepFrames: Int { sampleRate * Self.stepMilliseconds / 1000 }
    /// Frames of the present step so far.
    private var filled = 0
    /// Highest true peak of the present step so far, linear.
    private var stepPeak = 0.0
    private var momentary = SlidingWindow(count: 400 / stepMilliseconds)
    private var shortTerm = SlidingWindow(count: 3000 / stepMilliseconds)
    private var peaks = SlidingWindow(count: 3000 / stepMilliseconds)
    private var maximumMomentary = 0.0
    private var maximumShortTerm = 0.0

    /// - Parameters:
    ///   - isExact: whether each 100 ms is kept instead, some 30 bytes: 1 MB an hour.
    ///   - isFile: whether 7 and 8 channels are 6.1 and 7.1 in the order of WAV and FLAC.
    /// - Throws: `channels`, `sampleRate`, `outOfMemory`.
    package init(
        sampleRate: Int, channels: Int, isExact: Bool = false, isFile: Bool = false
    ) throws(LoudnessError) {
        try Self.check(sampleRate: sampleRate, channels: channels)
        let modes =
            [EBUR128_MODE_I, EBUR128_MODE_LRA, EBUR128_MODE_TRUE_PEAK] + (isExact ? [] : [EBUR128_MODE_HISTOGRAM])
        let mode = modes.reduce(0) { $0 | CInt($1.rawValue) }
        // SAFETY: destroyed in `deinit`.
        guard let state = unsafe ebur128_init(CUnsignedInt(channels), CUnsignedLong(sampleRate), mode) else {
            throw .outOfMemory
        }
        for (number, kind) in ChannelWeights.kinds(channels: channels, isFile: isFile).enumerated() {
            unsafe ebur128_set_channel(state, CUnsignedInt(number), CInt(kind.rawValue))
        }
        unsafe self.state = state
        self.channels = channels
        self.sampleRate = sampleRate
    }

    /// - Throws: `channels`, `sampleRate`.
    static func check(sampleRate: Int, channels: Int) throws(LoudnessError) {
        guard LoudnessMeter.channelRange.contains(channels) else { throw .channels(channels) }
        guard LoudnessMeter.sampleRates.contains(sampleRate) else { throw .sampleRate(sampleRate) }
    }

    deinit {
        var state: UnsafeMutablePointer<ebur128_state>? = unsafe state
        unsafe ebur128_destroy(&state)
    }

    /// What is added from now on has another sample rate. What was measured stays, but for the last 10 ms.
    ///
    /// - Returns: whether loudness is measured at that rate, and there is memory to do it. Of a rate that is not, all stays
    ///   as it was; without memory nothing more can be added.
    package func change(sampleRate: Int) -> Bool {
        guard sampleRate != self.sampleRate else { return true }
        guard LoudnessMeter.sampleRates.contains(sampleRate) else { return false }
        let result = unsafe ebur128_change_parameters(state, CUnsignedInt(channels), CUnsignedLong(sampleRate))
        guard result == CInt(EBUR128_SUCCESS.rawValue) else { return false }
        self.sampleRate = sampleRate
        filled = 0
        stepPeak = 0
        return true
    }

    /// Adds the first `frames` frames of a block, interleaved. They must be finite.
    package func add(_ frames: Int, of block: [Float]) {
        precondition(block.count >= frames * channels)
        var done = 0
        while done < frames {
            let count = min(frames - done, stepFrames - filled)
            unsafe block.withUnsafeBufferPointer { samples in
                guard let base = samples.baseAddress else { return }
                // SAFETY: checked on the first line. It fails only where it must allocate, which histograms do not; an
                // exact measurement loses 100 ms where there is no memory for 30 bytes.
                _ = unsafe ebur128_add_frames_float(state, base + done * channels, count)
            }
            for channel in 0..<channels {
                stepPeak = max(stepPeak, unsafe value { unsafe ebur128_prev_true_peak($0, CUnsignedInt(channel), $1) })
            }
            done += count
            filled += count
            if filled == stepFrames { endStep() }
        }
    }

    package var reading: LoudnessReading {
        var reading = LoudnessReading()
        reading.momentaryLUFS = Self.gated(Self.loudness(momentary.mean))
        reading.shortTermLUFS = Self.gated(Self.loudness(shortTerm.mean))
        reading.integratedLUFS = Self.gated(unsafe value(ebur128_loudness_global))
        reading.maximumMomentaryLUFS = Self.gated(Self.loudness(maximumMomentary))
        reading.maximumShortTermLUFS = Self.gated(Self.loudness(maximumShortTerm))
        // The range is that of the short-term loudness above the gate.
        reading.rangeLU = reading.maximumShortTermLUFS.isFinite ? unsafe value(ebur128_loudness_range) : nil
        reading.truePeakDecibels = (0..<channels).map { channel in
            Decibels.decibels(unsafe value { unsafe ebur128_true_peak($0, CUnsignedInt(channel), $1) })
        }
        reading.recentTruePeakDecibels = Decibels.decibels(max(peaks.highest, stepPeak))
        return reading
    }

    private func endStep() {
        let loudness = unsafe value { unsafe ebur128_loudness_window($0, CUnsignedLong(Self.stepMilliseconds), $1) }
        let energy = Self.energy(loudness)
        momentary.append(energy)
        shortTerm.append(energy)
        peaks.append(stepPeak)
        maximumMomentary = max(maximumMomentary, momentary.mean)
        maximumShortTerm = max(maximumShortTerm, shortTerm.mean)
        filled = 0
        stepPeak = 0
    }

    /// What a function of libebur128 tells of the state.
    private func value(
        _ read: (UnsafeMutablePointer<ebur128_state>?, UnsafeMutablePointer<Double>?) -> CInt
    ) -> Double {
        var value = 0.0
        // SAFETY: it writes one number or none. It fails only for a mode or a channel that there is not.
        _ = unsafe read(state, &value)
        return value
    }

    /// The weighted mean square of a loudness, and the other way round (ITU-R BS.1770-4, formula 2).
    private static func energy(_ loudness: Double) -> Double { pow(10, (loudness + 0.691) / 10) }
    private static func loudness(_ energy: Double) -> Double { 10 * log10(energy) - 0.691 }

    /// Below the absolute gate there is no loudness (BS.1770, EBU Tech 3341): what the weighting filters ring out to when the
    /// sound has ended falls by thousands of decibels, and means nothing.
    private static func gated(_ loudness: Double) -> Double {
        loudness >= LoudnessReading.gateLUFS ? loudness : -.infinity
    }
}

/// Which loudspeaker each channel is for, and so how much it counts (ITU-R BS.1770-4, tables 3 and 4).
enum ChannelWeights {
    /// Of libebur128's kinds, one for each channel.
    ///
    /// 1: one channel that counts once, so that it is 3 LU quieter than if both loudspeakers played it. 2: left, right.
    /// 3: left, right, centre. 4: left, right and the surrounds. 5: with centre. 6: left, right, centre, low
    /// frequencies, surrounds. A surround counts 1.5 dB more, low frequencies do not count. 7 and 8 of a file: as 6, with a
    /// centre surround or two backs before the surrounds. These are more than 120° from the front and count once. JACK does
    /// not tell what more than 6 channels are for: each of those counts once.
    static func kinds(channels: Int, isFile: Bool) -> [channel] {
        switch channels {
        case ...3: Array([EBUR128_LEFT, EBUR128_RIGHT, EBUR128_CENTER].prefix(channels))
        case 4: [EBUR128_LEFT, EBUR128_RIGHT] + surrounds
        case 5: [EBUR128_LEFT, EBUR128_RIGHT, EBUR128_CENTER] + surrounds
        case 6: [EBUR128_LEFT, EBUR128_RIGHT, EBUR128_CENTER, EBUR128_UNUSED] + surrounds
        case 7 where isFile: kinds(channels: 6, isFile: true).prefix(4) + [EBUR128_Mp180] + surrounds
        case 8 where isFile: kinds(channels: 6, isFile: true).prefix(4) + [EBUR128_Mp135, EBUR128_Mm135] + surrounds
        default: [channel](repeating: EBUR128_CENTER, count: channels)
        }
    }

    private static let surrounds = [EBUR128_LEFT_SURROUND, EBUR128_RIGHT_SURROUND]
}

/// The last values of a series that is nowhere negative.
struct SlidingWindow {
    private var values: [Double]
    /// Where the next value goes, which is where the oldest one is.
    private var next = 0
    private var isFull = false

    /// - Parameter count: 1 or more.
    init(count: Int) { values = [Double](repeating: 0, count: count) }

    mutating func append(_ value: Double) {
        values[next] = value
        next = (next + 1) % values.count
        if next == 0 { isFull = true }
    }

    /// 0 until there are enough values.
    var mean: Double { isFull ? values.reduce(0, +) / Double(values.count) : 0 }
    var highest: Double { values.reduce(0, max) }
}

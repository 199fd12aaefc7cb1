import CSampleRate

/// A stream of interleaved frames at another rate. What is taken in and not used yet waits here, in a block of constant
/// length.
struct Resampler: ~Copyable, Sendable {
    static let blockFrames = 512
    /// A change of the ratio is spread over so many frames that are made.
    private static let slideFrames = 256

    private let channels: Int
    /// One of these three.
    private var soxr: SoxrHandle?
    private var sinc: SampleRateHandle?
    private var linear: LinearInterpolator?
    private let nominalRatio: Double
    /// What the last frame was made with, and what the slide goes to.
    private var ratio: Double
    private var targetRatio: Double
    private var slideRest = 0

    private var input: [Float]
    private var inputStart = 0
    private var inputCount = 0
    private var output: [Float]

    /// Whether the ratio was ever changed in this stream.
    private var hasVaried = false
    /// Where the next frame lies, in frames of the input. Kept from the first change of the ratio on.
    private var position = 0.0
    private var made = 0

    /// How many frames must follow one before all that depends on it has come out, in frames of the input. Measured, for
    /// it is the library's: as many as must come before the first one does.
    private(set) var latencyFrames = 0

    /// - Parameter variesRatio: whether `slide` may be called.
    init(
        quality: ResamplingQuality, channels: Int, from inputRate: Int, to outputRate: Int, variesRatio: Bool
    ) throws(ConversionError) {
        let ratio = Double(outputRate) / Double(inputRate)
        self.channels = channels
        nominalRatio = ratio
        self.ratio = ratio
        targetRatio = ratio
        input = [Float](repeating: 0, count: Self.blockFrames * channels)
        output = [Float](repeating: 0, count: Self.blockFrames * channels)
        switch quality {
        // Its ratio stays what it is.
        case .best where !variesRatio: soxr = try SoxrHandle(from: inputRate, to: outputRate, channels: channels)
        case .best: sinc = try SampleRateHandle(quality: Int(SRC_SINC_BEST_QUALITY), channels: channels)
        case .medium: sinc = try SampleRateHandle(quality: Int(SRC_SINC_MEDIUM_QUALITY), channels: channels)
        case .fast: sinc = try SampleRateHandle(quality: Int(SRC_SINC_FASTEST), channels: channels)
        case .linear: linear = LinearInterpolator(channels: channels, ratio: ratio)
        }
        try measureLatency()
    }

    /// With one frame of silence after the other: no filter is longer than 2¹⁶.
    private mutating func measureLatency() throws(ConversionError) {
        var fed = 0
        while fed < 1 << 16 {
            inputCount = 1
            fed += 1
            if try read(1) > 0 { break }
            inputStart = 0
        }
        latencyFrames = fed - 1
        reset()
    }

    mutating func reset() {
        soxr?.reset()
        sinc?.reset()
        linear?.reset()
        ratio = nominalRatio
        targetRatio = nominalRatio
        slideRest = 0
        (inputStart, inputCount) = (0, 0)
        hasVaried = false
        position = 0
        made = 0
    }

    mutating func slide(to ratio: Double) {
        if !hasVaried { position = Double(made) / nominalRatio }
        hasVaried = true
        targetRatio = ratio
        // At the start of a stream libsamplerate has none to slide from.
        sinc?.setRatio(self.ratio)
        slideRest = Self.slideFrames
    }

    /// Whether more can be taken in.
    var isDry: Bool { inputCount == 0 }

    /// Takes in up to `blockFrames` frames, or as much silence; only where `isDry`.
    mutating func write(_ frames: Int, _ samples: [Double]?) {
        precondition(isDry && frames <= Self.blockFrames)
        let count = frames * channels
        unsafe input.withUnsafeMutableBufferPointer { input in
            // SAFETY: `input` holds `blockFrames` frames.
            guard let samples else {
                for index in 0..<count { unsafe input[index] = 0 }
                return
            }
            precondition(samples.count >= count)
            unsafe samples.withUnsafeBufferPointer { samples in
                // SAFETY: checked on the line before.
                for index in 0..<count { unsafe input[index] = Float(samples[index]) }
            }
        }
        (inputStart, inputCount) = (0, frames)
    }

    /// Makes up to `room` frames, at most `blockFrames`, which `take` then hands over; returns how many.
    mutating func read(_ room: Int) throws(ConversionError) -> Int {
        let isSliding = slideRest > 0
        let room = isSliding ? min(room, Self.blockFrames, slideRest) : min(room, Self.blockFrames)
        // As far as the slide gets in this room.
        let last = isSliding ? ratio + (targetRatio - ratio) * Double(room) / Double(slideRest) : targetRatio
        let result = try convert(room, reaching: last)
        inputStart += result.used
        inputCount -= result.used
        note(result.made, of: room, last)
        return result.made
    }

    private mutating func convert(
        _ room: Int, reaching last: Double
    ) throws(ConversionError) -> (used: Int, made: Int) {
        if let result = try soxr?.convert(inputCount, of: input, from: inputStart, into: &output, room: room) {
            return result
        }
        if let result = try sinc?.convert(
            inputCount, of: input, from: inputStart, into: &output, room: room, ratio: last)
        {
            return result
        }
        return linear?.convert(
            inputCount, of: input, from: inputStart, into: &output, room: room, ratios: (ratio, last)) ?? (0, 0)
    }

    /// Follows what was made.
    private mutating func note(_ count: Int, of room: Int, _ last: Double) {
        made += count
        guard hasVaried, count > 0 else { return }
        let step = (last - ratio) / Double(room)
        for index in 0..<count { position += 1 / (ratio + Double(index) * step) }
        ratio = count == room ? last : ratio + Double(count) * step
        guard slideRest > 0 else { return }
        slideRest -= count
        if slideRest == 0 { ratio = targetRatio }
        // libsamplerate is one frame behind in its slide.
        sinc?.setRatio(ratio)
    }

    /// The last frames that `read` has made.
    func take(_ frames: Int, into target: inout [Double]) {
        let count = frames * channels
        precondition(output.count >= count && target.count >= count)
        unsafe output.withUnsafeBufferPointer { output in
            unsafe target.withUnsafeMutableBufferPointer { target in
                // SAFETY: checked on the second line.
                for index in 0..<count { unsafe target[index] = Double(output[index]) }
            }
        }
    }

    /// How many frames are still to be made of a stream that has ended, where the ratio has varied; else `nil`.
    mutating func restFrames(ofTaken frames: Int) -> Int? {
        guard hasVaried else { return nil }
        return max(0, Int(((Double(frames) - position) * targetRatio).rounded()))
    }
}

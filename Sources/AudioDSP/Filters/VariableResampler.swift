import func Glibc.sin

/// Converts from one sample rate to another whose ratio changes all the time, as between two sound cards: a windowed sinc,
/// read at any place between two of its 512 phases.
///
/// The place in the input is known to a fraction of a frame, so that a loop can hold it. Of a tone below 0.73 of the lower
/// Nyquist frequency less than −90 dB is added.
///
/// The caller asks how many frames of input are `wanted`, writes them into `room`, renders each channel, and calls `advance`.
///
/// Thread: one at a time; all but making and freeing it is wait-free.
@safe package struct VariableResampler: ~Copyable {
    /// At most so many frames are rendered in one go.
    package static var sliceFrames: Int { @_noLocks @_noAllocation get { 256 } }
    /// Frames of input for one of output, at the most.
    package static var longestStep: Double { @_noLocks @_noAllocation get { 8 } }
    private static var phases: Int { @_noLocks @_noAllocation get { 512 } }

    /// Frames of input on each side of the one that is made.
    package let halfFrames: Int
    private let channels: Int
    private let taps: Int
    /// Of each channel, in samples.
    private let stride: Int
    private let history: Row<Float>
    private let table: Row<Float>
    /// Of the next frame of output, behind the first one of input in the history: 0..<1.
    package private(set) var phase = 0.0

    /// - Parameters:
    ///   - step: frames of input for one of output, as they would be if both clocks were right. Above 1 the filter cuts off below
    ///     the Nyquist frequency of the output.
    package init(channels: Int, step: Double) {
        precondition(channels >= 1 && step > 0 && step <= Self.longestStep)
        let width = max(1, step)
        self.channels = channels
        halfFrames = Self.delayFrames(step: step) - 1
        taps = 2 * halfFrames
        stride = taps + Int(Double(Self.sliceFrames) * Self.longestStep) + 16
        history = Row(zeros: channels * stride)
        let cutoff = (1 - 2.6 / 32) / width
        table = Row(
            (0...Self.phases).flatMap { [halfFrames] phase in
                Self.row(at: Double(phase) / Double(Self.phases), half: halfFrames, cutoff: cutoff)
            })
    }

    /// How far the next frame of output lies behind the frame of input that is wanted next: in frames of input.
    package static func delayFrames(step: Double) -> Int { 32 * Int(max(1, step).rounded(.up)) + 1 }

    /// The filter for a place between two frames, with a sum of 1. A Kaiser window with β = 9.
    private static func row(at place: Double, half: Int, cutoff: Double) -> [Float] {
        let values = (0..<(2 * half)).map { tap in
            let x = Double(tap - half + 1) - place
            let y = x / Double(half)
            guard abs(y) < 1 else { return 0.0 }
            let sinc = x == 0 ? 1 : sin(.pi * cutoff * x) / (.pi * cutoff * x)
            return sinc * bessel(9 * (1 - y * y).squareRoot())
        }
        let sum = values.reduce(0, +)
        return values.map { Float($0 / sum) }
    }

    /// The modified Bessel function of order zero, but for a factor that the sum takes out.
    private static func bessel(_ x: Double) -> Double {
        var (sum, term) = (1.0, 1.0)
        for index in 1..<60 {
            term *= (x / (2 * Double(index))) * (x / (2 * Double(index)))
            sum += term
        }
        return sum
    }

    /// How many frames of input the next frames of output need beyond those that it has. Thread: audio. Wait-free.
    ///
    /// - Parameters:
    ///   - frames: 0…`sliceFrames`.
    ///   - step: frames of input for one of output, 0…`longestStep`.
    @_noLocks @_noAllocation
    package func wanted(for frames: Int, step: Double) -> Int { Int(phase + Double(frames) * step) }

    /// Where the wanted frames of a channel are to be written. Thread: audio. Wait-free.
    @_noLocks @_noAllocation
    package func room(_ channel: Int, from start: Int, count: Int) -> Samples {
        precondition(channel >= 0 && channel < channels && start >= 0 && count >= 0 && taps + start + count <= stride)
        // SAFETY: checked on the line above.
        return unsafe Samples(history.base + channel * stride + taps + start, count: count)
    }

    /// Renders one channel, whose wanted frames were written. Thread: audio. Wait-free.
    @_noLocks @_noAllocation
    package func render(_ channel: Int, into target: Samples, step: Double) {
        precondition(channel >= 0 && channel < channels && target.count <= Self.sliceFrames)
        precondition(taps + wanted(for: target.count, step: step) <= stride)
        // SAFETY: here and below, the history has as many frames as `wanted` says, and the table a row behind the last phase.
        let input = unsafe Samples(history.base + channel * stride, count: stride)
        let filter = table.samples
        for frame in 0..<target.count {
            let place = phase + Double(frame) * step
            let start = Int(place)
            let fine = (place - Double(start)) * Double(Self.phases)
            let row = Int(fine)
            var (near, far) = (Vector.zero, Vector.zero)
            var tap = 0
            while tap < taps {
                let samples = input.load(start + tap)
                near += samples * filter.load(row * taps + tap)
                far += samples * filter.load((row + 1) * taps + tap)
                tap += Vector.scalarCount
            }
            let part = Float(fine - Double(row))
            let value = near + (far - near) * part
            target[frame] =
                ((value[0] + value[4]) + (value[1] + value[5])) + ((value[2] + value[6]) + (value[3] + value[7]))
        }
    }

    /// Forgets the input behind the frames that were rendered in all channels. Thread: audio. Wait-free.
    @_noLocks @_noAllocation
    package mutating func advance(by frames: Int, step: Double) {
        let count = wanted(for: frames, step: step)
        phase = phase + Double(frames) * step - Double(count)
        guard count > 0 else { return }
        for channel in 0..<channels {
            // SAFETY: the history of a channel has `taps + count` frames. Forwards, so that it may overlap.
            let base = unsafe history.base + channel * stride
            for index in 0..<taps { unsafe base[index] = base[index + count] }
        }
    }
}

import AudioDSP
import CAudioDSP

/// The bare curve at eight times the sample rate: what one builds who knows of no antiderivative.
///
/// It has every advantage that the shaper has: half-band stages, of which each is as long as its band needs and no
/// longer; the same planes, inner loops and instruction set. Its third stage is designed as the other two are
/// (`halfband.py`, `linear(3, 20 / 352.8)`): the pass band is flat to 0.0001 dB, the stop band at −99.5 dB.
final class EightfoldShaper {
    static let frames = 64
    /// Each stage delays by one less than twice its pairs at its higher rate, on the way up and again on the way down.
    static let latencyFrames = 65 + 11 / 2.0 + 5 / 4.0

    private static let stages = [
        HalfBand.taps(.first), HalfBand.taps(.second), [0.013748817, -0.10336045, 0.58962226],
    ]
    /// How far the first stage looks back, and the others.
    private static let longPast = 72
    private static let shortPast = 8
    private static let room = 160
    private static let front = 80

    private struct Step {
        let taps: UnsafeMutablePointer<Float>
        let later: UnsafeMutablePointer<Int32>
        let earlier: UnsafeMutablePointer<Int32>
        let pairs: Int
        /// Where the other branch reads, on the way down.
        let delayed: Int?
        let output: Int
    }

    private let memory: SampleBlock
    private let instructions: Int32
    private let input: Int
    private let output: Int
    private var up: [Step] = []
    private var down: [Step] = []
    /// Where the driven signal lies at the highest rate, and the shaped one.
    private var views: [Int]
    private var shaped: [Int] = []
    /// Planes and how much of their past is needed.
    private var pasts: [(start: Int, frames: Int)] = []

    init(_ instructions: InstructionSet = .best) {
        self.instructions = max(0, instructions.rawValue)
        memory = SampleBlock(channels: 1, frames: 32 * Self.room)
        var planes = 0
        func plane() -> Int {
            planes += 1
            return (planes - 1) * Self.room + Self.front
        }
        input = plane()
        views = [input]
        pasts = [(input, Self.longPast)]
        for taps in Self.stages {
            var raised: [Int] = []
            for sample in views.indices {
                let filtered = plane()
                pasts.append((filtered, Self.shortPast))
                up.append(Self.step(taps, over: views, from: sample, stride: 1, delayed: nil, to: filtered))
                raised += [filtered, Self.place(sample - (taps.count - 1), views)]
            }
            views = raised
        }
        shaped = views.map { _ in plane() }
        pasts += shaped.map { ($0, Self.shortPast) }
        var lowered = shaped
        for taps in Self.stages.reversed() {
            let source = lowered
            lowered = (0..<(source.count / 2)).map { _ in plane() }
            for (sample, target) in lowered.enumerated() {
                let middle = Self.place(2 * sample - (2 * taps.count - 1), source)
                down.append(Self.step(taps, over: source, from: 2 * sample, stride: 2, delayed: middle, to: target))
            }
            pasts += lowered.map { ($0, lowered.count == 2 ? Self.longPast : Self.shortPast) }
        }
        output = lowered[0]
        precondition(planes <= 32)
    }

    deinit {
        for step in up + down {
            step.taps.deallocate()
            step.later.deallocate()
            step.earlier.deallocate()
        }
    }

    /// Where a sample lies of a signal that is dealt to planes in turn.
    private static func place(_ time: Int, _ planes: [Int]) -> Int {
        let plane = ((time % planes.count) + planes.count) % planes.count
        return planes[plane] + (time - plane) / planes.count
    }

    private static func step(
        _ taps: [Float], over planes: [Int], from first: Int, stride: Int, delayed: Int?, to output: Int
    ) -> Step {
        let step = Step(
            taps: .allocate(capacity: taps.count), later: .allocate(capacity: taps.count),
            earlier: .allocate(capacity: taps.count), pairs: taps.count, delayed: delayed, output: output)
        for (pair, tap) in taps.enumerated() {
            step.taps[pair] = tap
            step.later[pair] = Int32(place(first - stride * pair, planes))
            step.earlier[pair] = Int32(place(first - stride * (2 * taps.count - 1 - pair), planes))
        }
        return step
    }

    private func run(_ start: Int) -> Samples { Samples(memory.channel(0) + start, count: Self.frames) }

    /// Drives and shapes a block, in place, of whole 64 frames.
    func process(_ block: Samples, gain: Ramp) {
        let base = memory.channel(0)
        for start in stride(from: 0, to: block.count, by: Self.frames) {
            let part = block.slice(from: start, count: Self.frames)
            run(input).copy(from: part)
            run(input).applyGain(gain)
            for step in up {
                caudiodsp_filter(
                    instructions, base, step.taps, step.later, step.earlier, step.pairs, step.output, Self.frames)
            }
            for (view, target) in zip(views, shaped) {
                run(target).copy(from: run(view))
                run(target).applyShape(.cubic, gain: Ramp(1))
            }
            for step in down {
                caudiodsp_halve_band(
                    instructions, base, step.taps, step.later, step.earlier, step.pairs, step.delayed ?? 0,
                    step.output, Self.frames)
            }
            part.copy(from: run(output))
            for past in pasts {
                let end = base + past.start + Self.frames - past.frames
                (base + past.start - past.frames).update(from: end, count: past.frames)
            }
        }
    }
}

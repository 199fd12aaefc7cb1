import AudioDSP
import Foundation

/// A kernel of AudioDSP and its twin.
private struct Pair: Sendable {
    let name: String
    /// Runs so often on the first samples, some kernels with the help of the second.
    let kernel: @Sendable (_ samples: Samples, _ other: Samples, _ gain: Ramp, _ count: Int) -> Void
    let twin: String
    var from: Float = 1
    /// Where the gain goes in each block; `nil` where it stands still.
    var to: Float?
    var goal: Double?
}

/// What the shape `table` is reached through: a curve that has to be looked up is no pure function of a sample. Without a
/// table of its own it is `hard`.
nonisolated(unsafe) private let tableShaper = TableShaper()

private final class TableShaper {
    private var shaper = AntialiasedShaper(channels: 1)

    func shape(_ samples: Samples, gain: Ramp) {
        shaper.process(samples, channel: 0, setting: 0, Shaping(.table), gain: gain)
    }
}

/// Where results go that are nothing but a value: the compiler leaves out what nobody asks for.
nonisolated(unsafe) private var heard: Float = 0

// Gains are such that samples keep their size however often a kernel is applied to them.
private let pairs = [
    Pair(
        name: "gain + cubic",
        kernel: { x, _, gain, count in for _ in 0..<count { x.applyShape(.cubic, gain: gain) } },
        twin: "twin_cubic", from: 0.9, goal: 1.05),
    Pair(
        name: "gain ramp + cubic",
        kernel: { x, _, gain, count in for _ in 0..<count { x.applyShape(.cubic, gain: gain) } },
        twin: "twin_cubic_ramp", from: 0.9, to: 1.1, goal: 1.0),
    Pair(
        name: "gain",
        kernel: { x, _, gain, count in for _ in 0..<count { x.applyShape(.off, gain: gain) } },
        // As near to 1 as a gain can be that is one: a loop of a million leaves the samples in range. Without a curve there
        // is nothing but loads and stores, and no goal: 0.3 ns to find the kernel are 6 % of 64 frames.
        twin: "twin_gain", from: 1.000_000_1),
    Pair(
        name: "gain + hard",
        kernel: { x, _, gain, count in for _ in 0..<count { x.applyShape(.hard, gain: gain) } },
        twin: "twin_hard", from: 1.1, goal: 1.05),
    Pair(
        name: "gain + tanh",
        kernel: { x, _, gain, count in for _ in 0..<count { x.applyShape(.tanh, gain: gain) } },
        twin: "twin_tanh", from: 1.5, goal: 1.05),
    Pair(
        name: "gain + asymmetric",
        kernel: { x, _, gain, count in for _ in 0..<count { x.applyShape(.asymmetric, gain: gain) } },
        twin: "twin_asymmetric", from: 1.5, goal: 1.05),
    Pair(
        name: "gain + fold",
        kernel: { x, _, gain, count in for _ in 0..<count { x.applyShape(.fold, gain: gain) } },
        twin: "twin_fold", from: 1.5, goal: 1.05),
    Pair(
        name: "gain + table",
        kernel: { x, _, gain, count in for _ in 0..<count { tableShaper.shape(x, gain: gain) } },
        twin: "twin_table", from: 1.1, goal: 1.05),
    Pair(
        name: "copyFinite",
        kernel: { x, other, _, count in for _ in 0..<count { _ = x.copyFinite(from: other) } },
        twin: "twin_copy_finite"),
    Pair(
        name: "level",
        kernel: { x, _, _, count in for _ in 0..<count { heard += x.level().peak } },
        twin: "twin_level"),
    Pair(
        name: "crossfade",
        kernel: { x, other, mix, count in for _ in 0..<count { x.crossfade(to: other, along: mix) } },
        twin: "twin_crossfade", from: 0, to: 1),
]

extension Section {
    static let kernels = Section(
        name: "kernels",
        introduction: """
            The inner loops against the same loops in C (clang -O3, same target), in turns of 20 µs, on memory that is
            alike. Gain and a shape is what each block goes through; what has no goal is for information.
            swift, c: nanoseconds for a block of so many frames, medians. ratio: median of swift / c in each turn.
            """
    ) { workshop in
        let twins = try Twins(at: workshop.twins)
        var rows: [[String]] = []
        var goals: [Goal] = []
        for pair in pairs {
            let twin = try twins.function(pair.twin)
            for frames in [64, 256, 1024] {
                var gain = Ramp(pair.from)
                gain.move(to: pair.to ?? pair.from, over: frames)
                let twinGain = TwinRamp(start: pair.from, step: ((pair.to ?? pair.from) - pair.from) / Float(frames))
                let race = Race([swift(pair, gain, frames), c(twin, twinGain, frames)])
                let ratio = race.ratio(0, to: 1)
                rows.append([
                    pair.name, "\(frames)", race.nanoseconds(0).text(1), race.nanoseconds(1).text(1), ratio.text(2),
                ])
                if let goal = pair.goal {
                    goals.append(Goal("\(pair.name), \(frames) frames, ratio to C", ratio, atMost: goal))
                }
            }
        }
        print(Table(["kernel", "frames", "swift", "c", "ratio"], rows).text)
        return goals
    }
}

private func swift(_ pair: Pair, _ gain: Ramp, _ frames: Int) -> Contender {
    let block = signal(frames)
    return Contender(run: { count in
        let samples = Samples(block.channel(0), count: frames)
        let other = Samples(block.channel(1), count: frames)
        pair.kernel(samples, other, gain, count)
    })
}

private func c(_ twin: @escaping Twin, _ gain: TwinRamp, _ frames: Int) -> Contender {
    let block = signal(frames)
    return Contender(run: { count in
        withUnsafePointer(to: gain) { gain in
            for _ in 0..<count { _ = twin(block.channel(0), block.channel(1), frames, gain) }
        }
    })
}

/// Each contender has samples of its own, equal and equally aligned.
private func signal(_ frames: Int) -> SampleBlock {
    let block = SampleBlock(channels: 2, frames: frames)
    for index in 0..<frames {
        block.channel(0)[index] = 0.9 * sin(Float(index) * 0.3)
        block.channel(1)[index] = 0.8 * cos(Float(index) * 0.17)
    }
    return block
}

import AudioDSP
import Foundation

/// A kernel of AudioDSP and its twin.
private struct Pair {
    let name: String
    let kernel: Kernel
    let twin: String
    var from: Float = 1
    var to: Float = 1
    var goal: Double?
}

// Gains are such that samples keep their size however often a kernel is applied to them.
private let pairs = [
    Pair(
        name: "gain + cubic",
        kernel: { x, _, frames, from, _ in
            Samples(x, count: frames).applyShape(.cubic, gain: Ramp(from))
            return 0
        }, twin: "twin_cubic", from: 0.9, goal: 1.05),
    Pair(
        name: "gain ramp + cubic",
        kernel: { x, _, frames, from, to in
            Samples(x, count: frames).applyShape(.cubic, gain: ramp(from, to, frames))
            return 0
        }, twin: "twin_cubic_ramp", from: 0.9, to: 1.1, goal: 1.0),
    Pair(
        name: "gain + hard",
        kernel: { x, _, frames, from, _ in
            Samples(x, count: frames).applyShape(.hard, gain: Ramp(from))
            return 0
        }, twin: "twin_hard", from: 1.1),
    Pair(
        name: "gain + tanh",
        kernel: { x, _, frames, from, _ in
            Samples(x, count: frames).applyShape(.tanh, gain: Ramp(from))
            return 0
        }, twin: "twin_tanh", from: 1.5),
    Pair(
        name: "copyFinite",
        kernel: { x, other, frames, _, _ in
            let source = Samples(UnsafeMutablePointer(mutating: other), count: frames)
            return Float(Samples(x, count: frames).copyFinite(from: source))
        }, twin: "twin_copy_finite"),
    Pair(
        name: "level",
        kernel: { _, other, frames, _, _ in
            let level = Samples(UnsafeMutablePointer(mutating: other), count: frames).level()
            return level.peak + Float(level.sumOfSquares)
        }, twin: "twin_level"),
    Pair(
        name: "crossfade",
        kernel: { x, other, frames, from, to in
            let source = Samples(UnsafeMutablePointer(mutating: other), count: frames)
            Samples(x, count: frames).crossfade(to: source, along: ramp(from, to, frames))
            return 0
        }, twin: "twin_crossfade", from: 0, to: 1),
]

private func ramp(_ from: Float, _ to: Float, _ frames: Int) -> Ramp {
    var ramp = Ramp(from)
    ramp.move(to: to, over: frames)
    return ramp
}

extension Section {
    static let kernels = Section(
        name: "kernels",
        introduction: """
            The inner loops against the same loops in C (clang -O3, same target), called alike on the same memory, in
            turns of 20 µs. Gain and cubic is what each block goes through; the others are for information.
            swift, c: nanoseconds for a block of so many frames, medians. ratio: median of swift / c in each turn.
            """
    ) { workshop in
        let twins = try Twins(at: workshop.twins)
        var rows: [[String]] = []
        var goals: [Goal] = []
        for pair in pairs {
            let twin = try twins.kernel(pair.twin)
            for frames in [64, 256, 1024] {
                let race = Race([
                    contender(pair.kernel, pair, frames), contender(twin, pair, frames),
                ])
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

/// Each contender has samples of its own, equal and equally aligned.
private func contender(_ kernel: @escaping Kernel, _ pair: Pair, _ frames: Int) -> Contender {
    let block = SampleBlock(channels: 2, frames: frames)
    for index in 0..<frames {
        block.channel(0)[index] = 0.9 * sin(Float(index) * 0.3)
        block.channel(1)[index] = 0.8 * cos(Float(index) * 0.17)
    }
    return Contender { count in
        let samples = block.channel(0)
        let other = UnsafePointer(block.channel(1))
        for _ in 0..<count { _ = kernel(samples, other, frames, pair.from, pair.to) }
    }
}

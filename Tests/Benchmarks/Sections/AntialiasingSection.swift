import AudioDSP
import CAudioDSP
import Foundation
import TestSupport

extension Section {
    static let antialiasing = Section(
        name: "antialiasing",
        introduction: """
            What the means against aliases are good for, and what they cost.
            dB: harmonics of a sine to everything else up to 20 kHz, at 44.1 kHz, cubic curve, gain 10. latency: frames.
            ns: median time for a frame of a channel, in blocks of 64, cubic curve, with the best instruction set.
            naive 8x: the bare curve at eight times the rate, with half-band filters as good and the same inner loops.
            The inner loops against the same in C (clang -O3) for the same set: nanoseconds for 64 frames.
            """
    ) { workshop in
        var goals = modes()
        print("")
        goals += sets()
        print("")
        goals += try kernels(workshop)
        return goals
    }

    private static func modes() -> [Goal] {
        let shapings = Antialiasing.allCases.flatMap { mode in
            FilterPhase.allCases.prefix(mode.oversampling == 1 ? 1 : 2).map { Shaping(.cubic, mode, $0) }
        }
        let race = Race(shapings.map { contender($0) } + [naive()], rounds: 500)
        let meters = [1244.5, 5000].map { AliasMeter(frequency: $0) }
        let purities = shapings.map { shaping in meters.map { purity(shaping, $0) } }
        var rows = shapings.indices.map { index in
            [
                "\(shapings[index].antialiasing.name), \(shapings[index].phase.name)", purities[index][0].text(1),
                purities[index][1].text(1), (race.nanoseconds(index) / 64).text(2),
                shapings[index].latencyFrames.text(3),
            ]
        }
        let naivePurities = meters.map { naivePurity($0) }
        rows.append([
            "naive 8x, linear", naivePurities[0].text(1), naivePurities[1].text(1),
            (race.nanoseconds(shapings.count) / 64).text(2), EightfoldShaper.latencyFrames.text(3),
        ])
        print(Table(["mode, phase", "dB at 1244.5 Hz", "dB at 5 kHz", "ns", "latency"], rows).text)
        let wanted: [Antialiasing: [Double]] = [.adaa: [34, 19], .adaaTwofold: [62, 38], .best: [88, 62]]
        var goals: [Goal] = []
        for (index, shaping) in shapings.enumerated() {
            guard let least = wanted[shaping.antialiasing] else { continue }
            let what = "cubic, \(shaping.antialiasing.name), \(shaping.phase.name)"
            goals.append(Goal("\(what), 1244.5 Hz", purities[index][0], atLeast: least[0], digits: 1, unit: " dB"))
            goals.append(Goal("\(what), 5 kHz", purities[index][1], atLeast: least[1], digits: 1, unit: " dB"))
        }
        func place(_ mode: Antialiasing) -> Int { shapings.firstIndex(of: Shaping(.cubic, mode, .linear)) ?? 0 }
        goals.append(
            Goal("adaa+2x, cost to that of plain 4x", race.ratio(place(.adaaTwofold), to: place(.fourfold)), atMost: 1))
        goals.append(
            Goal("best, cost to that of plain 4x", race.ratio(place(.best), to: place(.fourfold)).text(2)))
        for mode in [Antialiasing.adaaTwofold, .best] {
            let index = place(mode)
            goals.append(
                Goal("\(mode.name), cost to that of naive 8x", race.ratio(index, to: shapings.count), atMost: 1))
            for (meter, frequency) in ["1244.5 Hz", "5 kHz"].enumerated() {
                let what = "\(mode.name), \(frequency), more than naive 8x"
                let more = purities[index][meter] - naivePurities[meter]
                // Twice the rate with the antiderivative is fewer decibels, for half of the cost.
                goals.append(
                    mode == .best
                        ? Goal(what, more, atLeast: 0, digits: 1, unit: " dB") : Goal(what, more.text(1) + " dB"))
            }
        }
        return goals
    }

    private static func naive() -> Contender {
        let shaper = EightfoldShaper()
        let block = tone()
        return Contender(run: { count in
            for _ in 0..<count {
                let samples = Samples(block.channel(0), count: 64)
                samples.copy(from: Samples(block.channel(1), count: 64))
                shaper.process(samples, gain: Ramp(2))
            }
        })
    }

    private static func naivePurity(_ meter: AliasMeter) -> Double {
        var sine = meter.sine(gain: 10)
        let shaper = EightfoldShaper()
        sine.withUnsafeMutableBufferPointer { buffer in
            guard let base = buffer.baseAddress else { return }
            shaper.process(Samples(base, count: buffer.count), gain: Ramp(1))
        }
        return meter.purity(of: sine)
    }

    private static func purity(_ shaping: Shaping, _ meter: AliasMeter) -> Double {
        var sine = meter.sine(gain: 10)
        var shaper = AntialiasedShaper(channels: 1)
        sine.withUnsafeMutableBufferPointer { buffer in
            guard let base = buffer.baseAddress else { return }
            let samples = Samples(base, count: buffer.count)
            shaper.process(samples, channel: 0, setting: 0, shaping, gain: Ramp(1))
        }
        return meter.purity(of: sine)
    }

    /// A shaper that is given the same 64 frames again and again.
    private static func contender(_ shaping: Shaping, _ instructions: InstructionSet = .best) -> Contender {
        let bank = ShaperBank(shaping, instructions)
        return Contender(run: { count in for _ in 0..<count { bank.run() } })
    }

    private static func sets() -> [Goal] {
        let sets = InstructionSet.available
        let modes = [Shaping(.cubic, .adaa), Shaping(.cubic, .best), Shaping(.cubic, .best, .minimum)]
        let rows = modes.map { shaping in
            let race = Race(sets.map { contender(shaping, $0) }, rounds: 500)
            let times = sets.indices.map { (race.nanoseconds($0) / 64).text(2) }
            return ["\(shaping.antialiasing.name), \(shaping.phase.name)"] + times
        }
        print(Table(["ns for a frame, by instruction set"] + sets.map(\.name), rows).text)
        return []
    }

    private static func kernels(_ workshop: Workshop) throws -> [Goal] {
        let twins = try Twins(at: workshop.twins)
        let loops = InnerLoops()
        var rows: [[String]] = []
        var goals: [Goal] = []
        for (set, name) in [(0, "baseline"), (1, "avx2"), (2, "avx512")] where set <= InstructionSet.best.rawValue {
            for (kernel, run) in [
                ("filter", loops.filter), ("halve", loops.halve), ("mean_cubic", loops.meanOfCubic),
                ("mean_hard", loops.meanOfHard),
            ] {
                let twin = try twins.function("twin_\(kernel)_\(name)")
                let race = Race([
                    Contender(run: { run(Int32(set), $0) }), Contender(run: { loops.run(twin, $0) }),
                ])
                let ratio = race.ratio(0, to: 1)
                rows.append([
                    "\(kernel), \(name)", race.nanoseconds(0).text(1), race.nanoseconds(1).text(1), ratio.text(2),
                ])
                goals.append(Goal("\(kernel), \(name), ratio to C", ratio, atMost: 1.05))
            }
        }
        print(Table(["kernel, instruction set", "ours", "twin", "ratio"], rows).text)
        return goals
    }
}

/// Room for 64 frames, and beside it what is put there.
private func tone() -> SampleBlock {
    let block = SampleBlock(channels: 2, frames: 64)
    for frame in 0..<64 { block.channel(1)[frame] = 0.8 * sin(Float(frame) * 0.3) }
    return block
}

/// A shaper of one channel and the 64 frames that it is given.
private final class ShaperBank {
    private var shaper: AntialiasedShaper
    private let shaping: Shaping
    private let block = tone()

    init(_ shaping: Shaping, _ instructions: InstructionSet) {
        self.shaping = shaping
        shaper = AntialiasedShaper(channels: 1, instructions: instructions)
    }

    func run() {
        let samples = Samples(block.channel(0), count: 64)
        samples.copy(from: Samples(block.channel(1), count: 64))
        shaper.process(samples, channel: 0, setting: 0, shaping, gain: Ramp(2))
    }
}

/// What the twin of a filter is given in the place of a ramp.
private struct TwinFilter {
    var taps: UnsafePointer<Float>
    var later: UnsafePointer<Int32>
    var earlier: UnsafePointer<Int32>
    var pairs: Int
    var delayed: Int
}

/// The inner loops in C that the shaper runs, on 64 frames, and the memory that their twins get too.
private final class InnerLoops: Sendable {
    private static let pairs = 33
    private static let frames = 64
    // Sendable: the sections run on one thread.
    nonisolated(unsafe) private let block = SampleBlock(channels: 1, frames: 512)
    nonisolated(unsafe) private let taps: UnsafeMutablePointer<Float> = .allocate(capacity: 33)
    nonisolated(unsafe) private let places: UnsafeMutablePointer<Int32> = .allocate(capacity: 66)
    private let output = 256
    private let delayed = 33

    init() {
        for pair in 0..<Self.pairs {
            taps[pair] = 1 / Float(pair + 3)
            places[pair] = Int32(65 - pair)
            places[Self.pairs + pair] = Int32(pair)
        }
        for index in 0..<200 { block.channel(0)[index] = 1.3 * sin(Float(index) * 0.4) }
    }

    deinit {
        taps.deallocate()
        places.deallocate()
    }

    func filter(_ set: Int32, _ count: Int) {
        let memory = block.channel(0)
        for _ in 0..<count {
            caudiodsp_filter(set, memory, taps, places, places + Self.pairs, Self.pairs, output, Self.frames)
        }
    }

    func halve(_ set: Int32, _ count: Int) {
        let memory = block.channel(0)
        for _ in 0..<count {
            caudiodsp_halve_band(
                set, memory, taps, places, places + Self.pairs, Self.pairs, delayed, output, Self.frames)
        }
    }

    func meanOfHard(_ set: Int32, _ count: Int) {
        let memory = block.channel(0)
        for _ in 0..<count { caudiodsp_mean_hard(set, memory + output, memory, memory + 1, Self.frames) }
    }

    func meanOfCubic(_ set: Int32, _ count: Int) {
        let memory = block.channel(0)
        for _ in 0..<count { caudiodsp_mean_cubic(set, memory + output, memory, memory + 1, Self.frames) }
    }

    func run(_ twin: Twin, _ count: Int) {
        let memory = block.channel(0)
        let filter = TwinFilter(
            taps: taps, later: places, earlier: places + Self.pairs, pairs: Self.pairs, delayed: delayed)
        withUnsafePointer(to: filter) {
            for _ in 0..<count { _ = twin(memory + output, memory, Self.frames, $0) }
        }
    }
}

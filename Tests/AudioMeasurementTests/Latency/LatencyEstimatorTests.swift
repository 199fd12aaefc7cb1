import AudioFigures
import AudioMeasurement
import Glibc
import TestSupport
import Testing

@Suite("The probe signal") struct ProbeSignalTests {
    @Test(arguments: [-12.0, -40, 0])
    func `has its peak where it was asked for, and a crest factor below 6 dB`(_ decibels: Double) {
        let signal = ProbeSignal(lengthFrames: 1 << 12, peakDecibels: decibels)
        let peak = signal.samples.map { abs(Double($0)) }.max() ?? 0
        #expect(abs(20 * log10(peak) - decibels) < 0.01)
        #expect(20 * log10(peak / rms(signal.samples)) < 6)
    }

    @Test(arguments: [
        (-Double.infinity, -120.0), (-1e9, -120), (.nan, -120), (61, 60), (1e9, 60), (.infinity, 60),
    ])
    func `is neither silent nor endlessly loud, whatever peak is asked for`(_ asked: Double, _ given: Double) {
        let signal = ProbeSignal(lengthFrames: 1 << 10, peakDecibels: asked)
        let peak = signal.samples.map { abs(Double($0)) }.max() ?? 0
        #expect(abs(20 * log10(peak) - given) < 0.01)
    }

    @Test(arguments: [(0, 1 << 10), (1025, 1 << 11), (1 << 15, 1 << 15), (48000, 1 << 16)])
    func `has a power of two of frames`(_ asked: Int, _ given: Int) {
        #expect(ProbeSignal(lengthFrames: asked).lengthFrames == given)
    }
}

@Suite("The latency estimator") struct LatencyEstimatorTests {
    private let way = Way(ProbeSignal(lengthFrames: 1 << 12))
    private var signal: ProbeSignal { way.signal }

    @Test(arguments: [0, 1, 2, 63, 64, 65, 1024, 2047, 2048, 4000, 4094])
    func `finds a delay of whole frames exactly`(_ frames: Int) throws {
        let length = signal.lengthFrames
        let block = (0..<length).map { signal.samples[($0 + length - frames) % length] }
        let estimate = try estimate(signal, [block, block])
        #expect(abs(estimate.frames - Double(frames)) <= 0.0001)
        #expect(estimate.errorFrames <= 0.001)
        #expect(!estimate.isInverted)
        #expect(abs(estimate.levelDecibels) < 0.001)
        #expect(estimate.signalToNoiseDecibels > 100)
    }

    @Test(arguments: [40.0, 20])
    func `finds fractions of a frame in noise, within its error bar in 99 of 100 trials`(_ decibels: Double) throws {
        var generator = SeededGenerator(seed: 300 + UInt64(decibels))
        let way = Way(ProbeSignal(lengthFrames: 1 << 11))
        let signal = way.signal
        let level = rms(signal.samples) * pow(10, -decibels / 20)
        var within = 0
        var squares = 0.0
        var bars = 0.0
        let trials = 200
        for trial in 0..<trials {
            let fraction = trial < 2 ? [0.001, 0.999][trial] : Double.random(in: 0.001...0.999, using: &generator)
            let frames = Double(trial % 40) + fraction
            let clean = way.heard(after: frames)
            let blocks = (0..<2).map { _ in
                zip(clean, generator.noise(count: clean.count, rms: level)).map { $0 + $1 }
            }
            let estimate = try estimate(signal, blocks)
            let error = abs(estimate.frames - frames)
            if error <= estimate.errorFrames { within += 1 }
            squares += error * error
            bars += estimate.errorFrames
            #expect(abs(estimate.signalToNoiseDecibels - decibels) < 1)
        }
        #expect(within >= trials * 99 / 100, "\(within) of \(trials)")
        // A bar that covers everything would pass too: it must be of the size of the errors.
        let ratio = bars / Double(trials) / sqrt(squares / Double(trials))
        #expect(ratio > 2 && ratio < 5, "\(ratio)")
    }

    @Test func `improves with the number of blocks`() throws {
        var generator = SeededGenerator(seed: 310)
        let clean = way.heard(after: 100.3)
        let level = rms(clean) * 5
        let blocks = (0..<32).map { _ in zip(clean, generator.noise(count: clean.count, rms: level)).map { $0 + $1 } }
        let few = try estimate(signal, Array(blocks.prefix(2)))
        let many = try estimate(signal, blocks)
        #expect(abs(many.frames - 100.3) <= many.errorFrames)
        #expect(many.errorFrames < few.errorFrames / 2)
    }

    @Test func `knows what is upside down`() throws {
        let block = way.heard(after: 12.25, gain: -1)
        let estimate = try estimate(signal, [block, block])
        #expect(estimate.isInverted)
        #expect(abs(estimate.frames - 12.25) <= 0.001)
    }

    @Test func `tells how much quieter the signal is heard`() throws {
        let block = way.heard(after: 12.25, gain: 0.01)
        let estimate = try estimate(signal, [block, block])
        #expect(abs(estimate.levelDecibels + 40) < 0.01)
        #expect(abs(estimate.frames - 12.25) <= 0.001)
    }

    private static let shapers: [String: @Sendable (Float) -> Float] = [
        "tanh": { tanhf(20 * $0) },
        "cubic": { 6 * $0 - 32 * $0 * $0 * $0 },
        "clipped": { min(max($0, -0.1), 0.1) },
        "one-sided": { $0 > 0 ? $0 : $0 / 4 },
    ]

    @Test(arguments: ["tanh", "cubic", "clipped", "one-sided"])
    func `is right behind a waveshaper`(_ name: String) throws {
        let shape = try #require(Self.shapers[name])
        for frames in [40.0, 40.37] {
            let block = way.heard(after: frames).map(shape)
            let estimate = try estimate(signal, [block, block])
            #expect(abs(estimate.frames - frames) <= estimate.errorFrames, "\(estimate)")
            #expect(estimate.errorFrames < 0.1)
            #expect(estimate.signalToNoiseDecibels < 60, "distortion is not signal")
        }
    }

    @Test func `says that a way which delays frequencies differently has no single delay`() throws {
        // An all-pass of first order: 1.9 frames for low frequencies, 0.5 for high ones.
        let c = -0.3
        let block = way.heard { frequency in
            let turn: Double = 2 * atan2(c * sin(frequency), 1 + c * cos(frequency))
            return (1, turn - 101 * frequency)
        }
        let estimate = try estimate(signal, [block, block])
        #expect(estimate.errorFrames > 0.2, "\(estimate)")
        #expect(estimate.frames - estimate.errorFrames > 100 && estimate.frames + estimate.errorFrames < 102.5)
        let plain = try AudioMeasurementTests.estimate(signal, [way.heard(after: 100), way.heard(after: 100)])
        #expect(plain.errorFrames < estimate.errorFrames / 100)
    }

    @Test func `finds the delay of a way that lets only a part of the band through`() throws {
        let low = way.heard { ($0 < 0.2 ? 1 : 0, -$0 * 33.4) }
        let band = way.heard { ($0 > 0.05 && $0 < 0.5 ? 1 : 0, -$0 * 33.4) }
        for block in [low, band] {
            let estimate = try estimate(signal, [block, block])
            #expect(abs(estimate.frames - 33.4) <= max(0.01, estimate.errorFrames), "\(estimate)")
            #expect(estimate.errorFrames < 0.1)
        }
    }

    @Test func `hears nothing of the signal in silence, a constant, a tone and noise`() throws {
        var generator = SeededGenerator(seed: 320)
        let length = signal.lengthFrames
        let silence = [Float](repeating: 0, count: length)
        #expect(try finding(signal, [silence, silence]) == .absent(heardDecibels: nil))
        let tone = (0..<length).map { 0.5 * Float(sin(2 * Double.pi * 440 / 48000 * Double($0))) }
        let noises = (0..<2).map { _ in generator.noise(count: length, rms: 0.1) }
        let constant = [Float](repeating: 0.5, count: length)
        let others: [(name: String, level: Double, blocks: [[Float]])] = [
            ("a constant", -6.02, [constant, constant]), ("a tone", -9.03, [tone, tone]), ("noise", -20, noises),
        ]
        for other in others {
            guard case .absent(let heard?) = try finding(signal, other.blocks) else {
                Issue.record("something was found in \(other.name)")
                continue
            }
            #expect(abs(heard - other.level) < 0.5, "\(other.name)")
        }
    }

    /// A sweep like the signal's in one round: a siren, or the signal on another path for a short time.
    @Test func `takes what it hears in one round alone for no latency, be it as loud as it will`() throws {
        var generator = SeededGenerator(seed: 322)
        let clean = way.heard(after: 300)
        for noisy in 1...5 {
            let others = (0..<noisy).map { _ in generator.noise(count: signal.lengthFrames, rms: 0.01) }
            guard case .absent = try finding(signal, others + [clean]) else {
                Issue.record("found in one of \(noisy + 1) rounds")
                continue
            }
        }
        let again = way.heard(after: 300)
        let estimate = try estimate(signal, [clean, generator.noise(count: signal.lengthFrames, rms: 0.01), again])
        #expect(abs(estimate.frames - 300) <= estimate.errorFrames && estimate.falseAlarmProbability < 1e-6)
    }

    @Test func `is not misled by noise, however often it listens`() throws {
        var generator = SeededGenerator(seed: 321)
        var estimator = LatencyEstimator(signal)
        for _ in 0..<100 { estimator.add(generator.noise(count: signal.lengthFrames, rms: 0.3)) }
        #expect(estimator.finding?.estimate == nil)
        #expect(estimator.readings.allSatisfy { $0.finding.estimate == nil })
    }

    @Test(arguments: [(5.0, 12.0), (100, 133.5), (0.5, 2000)])
    func `calls two equally strong ways ambiguous, and names both`(_ one: Double, _ other: Double) throws {
        let block = zip(way.heard(after: one), way.heard(after: other)).map { $0 + $1 }
        guard case .ambiguous(let frames) = try finding(signal, [block, block]) else {
            Issue.record("not ambiguous: \(try finding(signal, [block, block]))")
            return
        }
        for (found, real) in zip(frames.sorted(), [one, other]) { #expect(abs(found - real) < 0.3) }
    }

    /// The weaker one is near the limit: some rounds by themselves tell the stronger one alone.
    @Test func `calls two steady ways ambiguous, not moving, where some rounds hear only one of them`() throws {
        let blocks = [0.74, 0.6, 0.8, 0.9].map { gain in
            zip(way.heard(after: 60), way.heard(after: 101, gain: gain)).map { $0 + $1 }
        }
        guard case .ambiguous(let frames) = try finding(signal, blocks) else {
            Issue.record("not ambiguous: \(try finding(signal, blocks))")
            return
        }
        for (found, real) in zip(frames.sorted(), [60.0, 101]) { #expect(abs(found - real) < 0.3) }
    }

    @Test func `takes the stronger of two ways`() throws {
        let block = zip(way.heard(after: 30), way.heard(after: 41, gain: -0.3)).map { $0 + $1 }
        let estimate = try estimate(signal, [block, block])
        #expect(abs(estimate.frames - 30) <= estimate.errorFrames)
        #expect(!estimate.isInverted)
    }

    /// As where a buffer jumps in mid-run, and behind a resampler that has not settled: each round is heard clearly, at a
    /// place of its own.
    @Test(arguments: [[64.0, 64, 128, 128], [100, 130.4, 171], [4093, 4104.5, 4116, 4127]])
    func `tells that a latency moves, and between which frames`(_ places: [Double]) throws {
        let finding = try finding(signal, places.map { way.heard(after: $0) })
        guard case .moving(let frames) = finding else {
            Issue.record("not moving: \(finding)")
            return
        }
        #expect(abs(frames.lowerBound - places[0]) < 0.1, "\(frames)")
        #expect(abs(frames.upperBound - places[places.count - 1]) < 0.1, "\(frames)")
    }

    /// As behind a resampler whose place slides while a round is heard: each round has the signal at many places.
    @Test(arguments: [12.0, 40])
    func `tells that a latency moves within each round`(_ framesPerRound: Double) throws {
        let length = signal.lengthFrames
        let blocks = (0..<3).map { round in
            (0..<length).map { frame in
                let delay = 200 + framesPerRound * (Double(round) + Double(frame) / Double(length))
                return signal.samples[(frame - Int(delay) + length) % length]
            }
        }
        guard case .moving(let frames) = try finding(signal, blocks) else {
            Issue.record("not moving: \(try finding(signal, blocks))")
            return
        }
        #expect(frames.lowerBound >= 190 && frames.upperBound <= 210 + 3 * framesPerRound, "\(frames)")
    }

    @Test func `does not call it moving where rounds have nothing in common`() throws {
        let blocks = [100.0, 1500, 130, 2900].map { way.heard(after: $0) }
        if case .moving(let frames) = try finding(signal, blocks) { Issue.record("\(frames)") }
    }

    @Test func `leaves out blocks that hold what is no number, and counts them`() throws {
        let clean = way.heard(after: 64)
        var estimator = LatencyEstimator(signal)
        for bad in [Float.nan, .infinity, -.infinity, 3e38] {
            var block = clean
            block[1000] = bad
            estimator.add(block)
            estimator.add(clean)
        }
        for length in [0, 1, clean.count - 1, clean.count + 1] {
            estimator.add([Float](repeating: 0, count: length))
        }
        #expect(estimator.discarded == 8 && estimator.blocks == 4)
        #expect(abs((estimator.finding?.estimate?.frames ?? 0) - 64) < 0.001)
    }

    @Test func `gives little weight to blocks in which something went wrong`() throws {
        var generator = SeededGenerator(seed: 330)
        let clean = way.heard(after: 64)
        var silent = clean
        silent.replaceSubrange(1000..<1700, with: [Float](repeating: 0, count: 700))
        var late = clean
        late.replaceSubrange(500..<1500, with: way.heard(after: 300)[500..<1500])
        let nothing = [Float](repeating: 0, count: clean.count)
        let loud = generator.noise(count: clean.count, rms: 1)
        let estimate = try estimate(signal, [clean, silent, late, nothing, loud, clean])
        #expect(abs(estimate.frames - 64) <= 0.001, "\(estimate)")
    }

    @Test func `says nothing before the second block`() {
        var estimator = LatencyEstimator(signal)
        #expect(estimator.finding == nil)
        estimator.add(signal.samples)
        #expect(estimator.finding == nil)
        estimator.add(signal.samples)
        #expect(estimator.finding?.estimate != nil)
    }

    @Test func `has a correlation of height 1 at the delay of a wire`() {
        var estimator = LatencyEstimator(signal)
        for _ in 0..<2 { estimator.add(way.heard(after: 77, gain: -0.5)) }
        let correlation = estimator.correlation
        #expect(abs(correlation[77] + 0.5) < 0.001)
        #expect(correlation.enumerated().allSatisfy { $0 == 77 || abs($1) < 0.2 })
    }
}

import AudioFiles
import Foundation

extension Section {
    static let convert = Section(
        name: "convert",
        introduction: """
            Sample rates, beside libsamplerate's own program, sox and ffmpeg with soxr where they are installed (Tools/setup
            --peers). Each gets the same file of tones, 32-bit floats, and what comes out is measured alike. fN: half of the
            lower of the two rates.
            THD+N: all but a sine of 997 Hz at −1 dB, over the whole band; 32-bit floats alone have about −152 dB. reject: the
            loudest that is left of tones from 1.05 to 1.3 fN where the rate falls; of the images of tones up to 0.9 fN where
            it rises. near: the same at 1.02 fN, or of tones up to 0.98 fN. −3 dB: of fN, the highest of 1.06 where it never
            falls so low. ripple: up to nine tenths of that point. held: latency in ms, of the input. ms/s: processor time
            for a second of stereo; of the programs with reading and writing a file and their start.
            The goals are for best against the best of the others, below −150 dB for −150 dB.
            """
    ) { _ in
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("iounit-convert-\(getpid())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let missing = Peers.all.filter { !$0.isInstalled }.map(\.program)
        if !missing.isEmpty { print("not installed: \(Set(missing).sorted().joined(separator: ", "))\n") }
        var worst = Worst()
        for (input, output) in [(48_000, 16_000), (44_100, 48_000), (48_000, 44_100), (96_000, 48_000)] {
            let pair = RatePair(input: input, output: output)
            var rows: [[String]] = []
            var ours: Figures?
            var others: [Figures] = []
            for quality in [ResamplingQuality.best, .medium, .fast, .linear] {
                let figures = try pair.measure(quality)
                if quality == .best { ours = figures }
                rows.append(figures.row("iounit \(quality)"))
            }
            for peer in Peers.all where peer.isInstalled {
                let figures = try pair.measure(peer, in: folder)
                if peer.isOfBestClass { others.append(figures) }
                rows.append(figures.row(peer.name))
            }
            print("\(input) → \(output) Hz")
            print(
                Table(
                    ["", "THD+N dB", "reject dB", "near dB", "ripple dB", "−3 dB", "held", "ms/s"], rows
                ).text + "\n")
            if let ours { worst.add(ours, others) }
        }
        return worst.goals
    }
}

/// How far the best quality is behind the best of the others, at the worst of all rates.
private struct Worst {
    private var noise: Double?
    private var rejection: Double?
    private var edge: Double?

    mutating func add(_ ours: Figures, _ others: [Figures]) {
        guard let first = others.map(\.noise).min(), let second = others.map(\.rejection).min(),
            let third = others.map(\.edge).max()
        else { return }
        noise = max(noise ?? -.infinity, distinct(ours.noise) - distinct(first))
        rejection = max(rejection ?? -.infinity, distinct(ours.rejection) - distinct(second))
        edge = max(edge ?? -.infinity, third - ours.edge)
    }

    /// What floats can tell apart.
    private func distinct(_ decibels: Double) -> Double { max(decibels, -150) }

    var goals: [Goal] {
        guard let noise, let rejection, let edge else { return [] }
        return [
            Goal("conversion, THD+N against the best of the others, at worst", noise, atMost: 1, unit: " dB"),
            Goal("conversion, rejection against the best of the others, at worst", rejection, atMost: 1, unit: " dB"),
            Goal(
                "conversion, −3 dB point below the best of the others, at worst", edge * 100, atMost: 1,
                unit: " % of fN"),
        ]
    }
}

/// What was measured of a converter, in decibels where nothing else is said.
private struct Figures {
    var noise = 0.0
    var rejection = -Double.infinity
    var nearRejection = -Double.infinity
    var ripple = 0.0
    /// Of fN.
    var edge = 0.0
    var heldMilliseconds: Double?
    var cost = 0.0

    func row(_ name: String) -> [String] {
        [
            name, noise.text(1), rejection.text(1), nearRejection.text(1), ripple.text(4), edge.text(3),
            heldMilliseconds?.text(1) ?? "", cost.text(2),
        ]
    }
}

/// A tone of the test file.
private struct Tone {
    enum Purpose { case noise, rejection, near, pass, edge }
    var hertz: Double
    var purpose: Purpose
}

private struct RatePair {
    let input: Int
    let output: Int

    private static let amplitude = pow(10, -1.0 / 20)
    private static let toneSeconds = 0.2
    private static let costSeconds = 20

    private var lowerNyquist: Double { Double(min(input, output)) / 2 }
    private var falls: Bool { output < input }

    private var tones: [Tone] {
        func tones(_ factors: StrideThrough<Double>, _ purpose: Tone.Purpose) -> [Tone] {
            factors.map { Tone(hertz: lowerNyquist * $0, purpose: purpose) }
                .filter { $0.hertz < Double(input) / 2 }
        }
        let stop = falls ? stride(from: 1.05, through: 1.3, by: 0.021) : stride(from: 0.05, through: 0.9, by: 0.0483)
        let near = falls ? stride(from: 1.02, through: 1.02, by: 1) : stride(from: 0.92, through: 0.98, by: 0.0199)
        return [Tone(hertz: 997, purpose: .noise)] + tones(stop, .rejection) + tones(near, .near)
            + tones(stride(from: 0.01, through: 0.9, by: 0.01), .pass)
            + tones(stride(from: 0.7, through: 1.06, by: 0.005), .edge)
    }

    /// All tones, one after the other.
    private var signal: [Float] {
        let frames = Int(Self.toneSeconds * Double(input))
        return tones.flatMap { tone in
            (0..<frames).map { frame in
                // It swells and fades in a twelfth of its time at each end, so that no click spoils its neighbours.
                let edge = min(1, Double(min(frame, frames - 1 - frame)) * 12 / Double(frames))
                let swell = 0.5 - 0.5 * cos(Double.pi * edge)
                let angle = 2 * Double.pi * tone.hertz / Double(input) * Double(frame)
                return Float(Self.amplitude * swell * sin(angle))
            }
        }
    }

    func measure(_ quality: ResamplingQuality) throws -> Figures {
        let format = StreamFormat(sampleRate: input, channels: 1)
        var converter = try StreamConverter(
            from: format, to: StreamFormat(sampleRate: output, channels: 1), ConverterSettings(quality: quality))
        var made: [Float] = []
        converter.push(PCMBuffer(format, signal)) { made += $0.samples(of: Float.self) }
        converter.finish { made += $0.samples(of: Float.self) }
        var figures = figures(of: made)
        figures.heldMilliseconds = Double(converter.latencyFrames) / Double(input) * 1000
        let stereo = StreamFormat(sampleRate: input, channels: 2)
        var second = try StreamConverter(
            from: stereo, to: StreamFormat(sampleRate: output, channels: 2), ConverterSettings(quality: quality))
        let noise = PCMBuffer(stereo, Self.noise(2 * input))
        let costs = try (0..<5).map { _ in
            let start = Self.threadMilliseconds
            guard second.push(noise, to: { _ in }) == .inputRanDry else { throw Breakdown("the converter failed") }
            return Self.threadMilliseconds - start
        }
        figures.cost = costs.median
        return figures
    }

    func measure(_ peer: Peers, in folder: URL) throws -> Figures {
        let (source, target) = (folder.appendingPathComponent("in.wav"), folder.appendingPathComponent("out.wav"))
        try FloatWave(sampleRate: input, channels: 1, samples: signal).write(to: source)
        _ = try peer.convert(source, to: target, rate: output)
        var figures = figures(of: try FloatWave(target).samples)
        let noise = Self.noise(2 * input * Self.costSeconds)
        try FloatWave(sampleRate: input, channels: 2, samples: noise).write(to: source)
        figures.cost = try peer.convert(source, to: target, rate: output) * 1000 / Double(Self.costSeconds)
        return figures
    }

    private static var threadMilliseconds: Double {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) * 1e3 + Double(time.tv_nsec) / 1e6
    }

    private static func noise(_ count: Int) -> [Float] {
        var state: UInt32 = 1
        return (0..<count).map { _ in
            state = state &* 1_664_525 &+ 1_013_904_223
            return Float(Int32(bitPattern: state)) / 4_294_967_296
        }
    }

    private func figures(of made: [Float]) -> Figures {
        var figures = Figures()
        var gains: [(factor: Double, decibels: Double)] = []
        var passed: [(factor: Double, decibels: Double)] = []
        for (index, tone) in tones.enumerated() {
            // The middle third of the tone.
            let start = Int((Double(index) + 1.0 / 3) * Self.toneSeconds * Double(output))
            let count = Int(Self.toneSeconds * Double(output) / 3)
            guard start + count <= made.count else { break }
            let fit = SineFit(made[start..<(start + count)], radians: 2 * Double.pi * tone.hertz / Double(output))
            let gain = decibels(fit.amplitude / Self.amplitude)
            let rest = decibels(fit.restPower.squareRoot() / (Self.amplitude * 0.5.squareRoot()))
            let all = decibels(fit.power.squareRoot() / (Self.amplitude * 0.5.squareRoot()))
            switch tone.purpose {
            case .noise: figures.noise = rest
            case .rejection: figures.rejection = max(figures.rejection, falls ? all : rest)
            case .near: figures.nearRejection = max(figures.nearRejection, falls ? all : rest)
            case .pass: passed.append((tone.hertz / lowerNyquist, gain))
            case .edge where tone.hertz < Double(output) / 2: gains.append((tone.hertz / lowerNyquist, gain))
            case .edge: break
            }
        }
        figures.edge = gains.last?.factor ?? 0
        // Where it first falls below −3 dB, on a line between two tones.
        for (left, right) in zip(gains, gains.dropFirst()) where left.decibels >= -3 && right.decibels < -3 {
            let part = (left.decibels + 3) / (left.decibels - right.decibels)
            figures.edge = left.factor + part * (right.factor - left.factor)
            break
        }
        let band = passed.filter { $0.factor <= 0.9 * figures.edge }.map(\.decibels)
        figures.ripple = (band.max() ?? 0) - (band.min() ?? 0)
        return figures
    }

    private func decibels(_ ratio: Double) -> Double { 20 * log10(max(ratio, 1e-12)) }
}

/// The sine of a known frequency that comes nearest to a signal, by least squares; beside a constant.
private struct SineFit {
    let amplitude: Double
    /// Of the signal, and of what is left beside the sine.
    let power: Double
    let restPower: Double

    init(_ samples: ArraySlice<Float>, radians: Double) {
        let count = Double(samples.count)
        // Three unknowns, the normal equations of which are solved by elimination.
        var matrix = [[Double]](repeating: [0, 0, 0, 0], count: 3)
        for (index, sample) in samples.enumerated() {
            let basis = [cos(radians * Double(index)), sin(radians * Double(index)), 1]
            for row in 0..<3 {
                for column in 0..<3 { matrix[row][column] += basis[row] * basis[column] }
                matrix[row][3] += basis[row] * Double(sample)
            }
        }
        for pivot in 0..<3 {
            for row in 0..<3 where row != pivot {
                let factor = matrix[row][pivot] / matrix[pivot][pivot]
                for column in 0..<4 { matrix[row][column] -= factor * matrix[pivot][column] }
            }
        }
        let solution = (0..<3).map { matrix[$0][3] / matrix[$0][$0] }
        var (all, rest) = (0.0, 0.0)
        for (index, sample) in samples.enumerated() {
            let angle = radians * Double(index)
            let difference = Double(sample) - solution[0] * cos(angle) - solution[1] * sin(angle) - solution[2]
            all += Double(sample) * Double(sample)
            rest += difference * difference
        }
        amplitude = (solution[0] * solution[0] + solution[1] * solution[1]).squareRoot()
        power = all / count
        restPower = rest / count
    }
}

/// Other programs that convert rates.
private struct Peers {
    let name: String
    let program: String
    /// Whether it does as well as it can.
    let isOfBestClass: Bool
    let arguments: @Sendable (String, String, Int) -> [String]

    static let all: [Peers] = {
        let resampled: [Peers] = [("best", "0", true), ("medium", "1", false), ("fast", "2", false)].map {
            let (word, number, isBest) = $0
            return Peers(name: "sndfile-resample \(word)", program: "sndfile-resample", isOfBestClass: isBest) {
                ["-to", "\($2)", "-c", number, $0, $1]
            }
        }
        let sox = Peers(name: "sox rate -v", program: "sox", isOfBestClass: true) {
            ["-D", $0, "-e", "floating-point", "-b", "32", $1, "rate", "-v", "\($2)"]
        }
        let soxr = [("", "ffmpeg soxr"), (":precision=28", "ffmpeg soxr, 28 bits")].map { option, name in
            Peers(name: name, program: "ffmpeg", isOfBestClass: true) {
                [
                    "-nostdin", "-v", "error", "-y", "-i", $0, "-af",
                    "aresample=\($2):resampler=soxr\(option):osf=flt", "-c:a", "pcm_f32le", $1,
                ]
            }
        }
        return resampled + [sox] + soxr
    }()

    private var path: String? {
        let folders = ProcessInfo.processInfo.environment["PATH"]?.split(separator: ":") ?? []
        return folders.map { "\($0)/\(program)" }.first { FileManager.default.isExecutableFile(atPath: $0) }
    }

    var isInstalled: Bool { path != nil }

    /// - Returns: the processor time that it took, in seconds.
    func convert(_ source: URL, to target: URL, rate: Int) throws -> Double {
        guard let path else { throw Breakdown("\(program) is not installed") }
        try? FileManager.default.removeItem(at: target)
        let process = Process()
        process.executableURL = URL(fileURLWithPath: path)
        process.arguments = arguments(source.path, target.path, rate)
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        let before = Self.childrenSeconds
        try process.run()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw Breakdown("\(name) failed") }
        return Self.childrenSeconds - before
    }

    private static var childrenSeconds: Double {
        var usage = rusage()
        getrusage(RUSAGE_CHILDREN.rawValue, &usage)
        return [usage.ru_utime, usage.ru_stime].reduce(0) { $0 + Double($1.tv_sec) + Double($1.tv_usec) / 1e6 }
    }
}

/// A WAV file of 32-bit floats, interleaved.
private struct FloatWave {
    var sampleRate: Int
    var channels: Int
    var samples: [Float]

    init(sampleRate: Int, channels: Int, samples: [Float]) {
        (self.sampleRate, self.channels, self.samples) = (sampleRate, channels, samples)
    }

    init(_ url: URL) throws {
        let data = try Data(contentsOf: url)
        func word(_ offset: Int, _ bytes: Int) -> Int {
            (0..<bytes).reduce(0) { $0 | Int(data[offset + $1]) << (8 * $1) }
        }
        (sampleRate, channels, samples) = (0, 0, [])
        var offset = 12
        while offset + 8 <= data.count {
            let length = min(word(offset + 4, 4), data.count - offset - 8)
            switch String(decoding: data[offset..<(offset + 4)], as: UTF8.self) {
            case "fmt ": (channels, sampleRate) = (word(offset + 10, 2), word(offset + 12, 4))
            case "data":
                samples = [Float](repeating: 0, count: length / 4)
                samples.withUnsafeMutableBytes { bytes in
                    _ = data.copyBytes(to: bytes, from: (offset + 8)..<(offset + 8 + length / 4 * 4))
                }
            default: break
            }
            offset += 8 + length + length % 2
        }
        guard channels > 0 else { throw Breakdown("\(url.lastPathComponent) is no WAV file") }
    }

    func write(to url: URL) throws {
        var data = Data()
        func add(_ value: Int, _ bytes: Int) { for byte in 0..<bytes { data.append(UInt8(value >> (8 * byte) & 255)) } }
        let length = samples.count * 4
        data.append(contentsOf: "RIFF".utf8)
        add(36 + length, 4)
        data.append(contentsOf: "WAVEfmt ".utf8)
        add(16, 4)
        add(3, 2)
        add(channels, 2)
        add(sampleRate, 4)
        add(sampleRate * channels * 4, 4)
        add(channels * 4, 2)
        add(32, 2)
        data.append(contentsOf: "data".utf8)
        add(length, 4)
        samples.withUnsafeBytes { data.append(contentsOf: $0) }
        try data.write(to: url)
    }
}

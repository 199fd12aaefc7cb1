import AudioFigures
import AudioMeasurement
import Fourier
import Glibc
import Testing

/// A way that the signal goes in a test, made exactly: in the frequency domain, where a delay is a turn of the phase.
struct Way {
    let signal: ProbeSignal
    private let transform: RealTransform
    private let lines: [SpectrumLine]

    init(_ signal: ProbeSignal) {
        self.signal = signal
        transform = RealTransform(length: signal.lengthFrames)
        lines = transform.lines(of: signal.samples)
    }

    /// One round of what is heard after a way that answers each frequency, in radians a frame, with a gain and a phase.
    func heard(_ answer: (Double) -> (gain: Double, phase: Double)) -> [Float] {
        let length = signal.lengthFrames
        let heard = lines.enumerated().map { number, line in
            let (gain, phase) = answer(2 * .pi * Double(number) / Double(length))
            let (cosine, sine) = (Float(gain * cos(phase)), Float(gain * sin(phase)))
            return SpectrumLine(r: line.r * cosine - line.i * sine, i: line.r * sine + line.i * cosine)
        }
        return transform.block(of: heard).map { $0 / Float(length) }
    }

    func heard(after frames: Double, gain: Double = 1) -> [Float] {
        heard { (gain, -$0 * frames) }
    }
}

func rms(_ block: [Float]) -> Double {
    sqrt(block.reduce(0.0) { $0 + Double($1) * Double($1) } / Double(block.count))
}

func finding(_ signal: ProbeSignal, _ blocks: [[Float]]) throws -> LatencyFinding {
    var estimator = LatencyEstimator(signal)
    for block in blocks { estimator.add(block) }
    return try #require(estimator.finding)
}

func estimate(_ signal: ProbeSignal, _ blocks: [[Float]]) throws -> LatencyEstimate {
    let finding = try finding(signal, blocks)
    return try #require(finding.estimate, "\(finding)")
}

import Glibc

/// Makes 8000 Hz of one of the libraries' rates, for what only looks at a signal.
struct Decimator {
    static let sampleRate = 8000
    private let ratio: Int
    private let taps: [Float]
    private var history: [Float]

    /// - Parameter sampleRate: a multiple of 8000 Hz.
    init(sampleRate: Int) {
        precondition(sampleRate > 0 && sampleRate % Self.sampleRate == 0)
        ratio = sampleRate / Self.sampleRate
        let count = ratio == 1 ? 1 : 12 * ratio
        let cutoff = 0.9 / Double(ratio)
        let values = (0..<count).map { tap in
            let x = Double(tap) - Double(count - 1) / 2
            let sinc = x == 0 ? 1 : sin(.pi * cutoff * x) / (.pi * cutoff * x)
            return sinc * (0.5 - 0.5 * cos(2 * .pi * (Double(tap) + 0.5) / Double(count)))
        }
        let sum = values.reduce(0, +)
        taps = values.map { Float($0 / sum) }
        history = [Float](repeating: 0, count: count - 1)
    }

    /// Of a block of a multiple of the ratio.
    mutating func process(_ block: some Sequence<Float>) -> [Float] {
        history.append(contentsOf: block)
        let count = (history.count - (taps.count - 1)) / ratio
        var output = [Float](repeating: 0, count: count)
        for sample in 0..<count {
            var sum: Float = 0
            for tap in taps.indices { sum += taps[tap] * history[sample * ratio + tap] }
            output[sample] = sum
        }
        history.removeFirst(count * ratio)
        return output
    }
}

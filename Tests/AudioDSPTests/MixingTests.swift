import AudioDSP
import TestSupport
import Testing

@Suite("Mixing")
struct MixingTests {
    @Test("adds four signals at once to the bit as one after the other", arguments: edgeLengths)
    func fourAtOnceAreFourInTurn(_ length: Int) {
        var generator = SeededGenerator(seed: UInt64(length))
        func signal() -> [Float] { (0..<length).map { _ in .random(in: -1...1, using: &generator) } }
        let sum = signal()
        var others = (0..<4).map { _ in signal() }
        let gains: [Float] = [0.3, -0.7, 1, 1e-3]

        let inTurn = processed(sum) { sum in
            for index in 0..<4 {
                others[index].withUnsafeMutableBufferPointer { other in
                    guard let base = other.baseAddress else { return }
                    sum.add(Samples(base, count: length), gain: Ramp(gains[index]))
                }
            }
        }
        let together = processed(sum) { sum in
            let memory = UnsafeMutablePointer<Float>.allocate(capacity: 4 * length)
            defer { memory.deallocate() }
            memory.initialize(repeating: 0, count: 4 * length)
            let runs = (0..<4).map { Samples(memory + $0 * length, count: length) }
            for (run, other) in zip(runs, others) { for index in 0..<length { run[index] = other[index] } }
            sum.add((runs[0], runs[1], runs[2], runs[3]), gains: (gains[0], gains[1], gains[2], gains[3]))
        }
        #expect(together.bits == inTurn.bits)
    }
}

import Testing
import Threads

@Suite("SplitMix64") struct SplitMix64Tests {
    /// What the authors' program prints for the seeds 0 and 1234567.
    @Test(
        arguments: [
            (0, [0xe220_a839_7b1d_cdaf, 0x6e78_9e6a_a1b9_65f4, 0x06c4_5d18_8009_454f]),
            (1_234_567, [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423]),
        ] as [(UInt64, [UInt64])])
    func `makes the numbers of its authors, one after the other and at any place`(seed: UInt64, numbers: [UInt64]) {
        var generator = SplitMix64(seed: seed)
        #expect(numbers.indices.map { _ in generator.next() } == numbers)
        #expect(numbers.indices.map { SplitMix64.number(UInt64($0), ofSeed: seed) } == numbers)
    }
}

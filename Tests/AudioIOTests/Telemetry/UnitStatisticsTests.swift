import AudioIO
import Testing

@Suite("What a unit has counted") struct UnitStatisticsTests {
    /// Nothing else than counts is in it: `step`, 2 · `step` and so on.
    private func numbered(by step: UInt64) throws -> UnitStatistics {
        var statistics = try IOUnit().statistics
        withUnsafeMutableBytes(of: &statistics) { bytes in
            for (place, index) in stride(from: 0, to: bytes.count, by: 8).enumerated() {
                bytes.storeBytes(of: UInt64(place + 1) * step, toByteOffset: index, as: UInt64.self)
            }
        }
        return statistics
    }

    @Test func `between two times is the difference of each count`() throws {
        #expect(try numbered(by: 5) - numbered(by: 3) == numbered(by: 2))
    }

    @Test func `is none of what was found not to be lost in between`() throws {
        var (before, after) = (try numbered(by: 1), try numbered(by: 1))
        before.lostNanoseconds += 1_000_000
        after.xruns += 3
        let counted = after - before
        #expect(counted.lostNanoseconds == 0 && counted.xruns == 3)
    }
}

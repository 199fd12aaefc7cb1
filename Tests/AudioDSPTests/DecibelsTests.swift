import AudioDSP
import Testing

@Suite("Decibels")
struct DecibelsTests {
    @Test("have the known values")
    func knownValues() {
        #expect(Decibels.linear(0) == 1)
        #expect(abs(Decibels.linear(20) - 10) < 1e-12)
        #expect(abs(Decibels.linear(-6) - 0.501_187_233_627_272) < 1e-12)
        #expect(abs(Decibels.decibels(2) - 6.020_599_913_279_624) < 1e-12)
    }

    @Test("turn into a factor and back")
    func roundTrip() {
        for tenths in -3000...3000 {
            let decibels = Double(tenths) / 10
            #expect(abs(Decibels.decibels(Decibels.linear(decibels)) - decibels) < 1e-9)
        }
    }

    @Test("of silence are minus infinity, and back")
    func silence() {
        #expect(Decibels.decibels(0) == -.infinity)
        #expect(Decibels.linear(-.infinity) == 0)
    }
}

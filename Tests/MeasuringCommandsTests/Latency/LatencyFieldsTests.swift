import AudioReports
import CommandTestSupport
import Testing

@Suite("The fields of iounit.latency/2")
struct LatencyFieldsTests {
    @Test func `and its limits are in iounit help figures`() throws {
        let help = try CommandRun.run("help", "figures")
        #expect(help.code == 0)
        let figures = FigureTable.latency
        // A name that is longer than its column has a line of its own.
        let words = Set(help.out.split(separator: "\n").compactMap { $0.split(separator: " ").first })
        for name in figures.map(\.path) + figures.compactMap(\.limit) {
            #expect(words.contains(Substring(name)), "\(name)")
        }
    }
}

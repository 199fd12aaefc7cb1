import AudioReports
import Testing

@Suite("The fields of iounit.latency/1")
struct LatencyFieldsTests {
    @Test func `and its limits are in iounit help figures`() throws {
        let help = try CommandRun.run("help", "figures")
        #expect(help.code == 0)
        let figures = FigureTable.latency
        for name in figures.map(\.path) + figures.compactMap(\.limit) {
            #expect(help.out.contains("\n  \(name) "), "\(name)")
        }
    }
}

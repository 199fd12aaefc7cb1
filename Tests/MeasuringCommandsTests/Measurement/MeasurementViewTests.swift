import AudioMeasurement
import CommandTestSupport
import Testing

@testable import MeasuringCommands
@testable import TerminalPages

@Suite("The live view of a measurement as text") struct MeasurementViewTests {
    private func scene(modes: Int = 1, isBad: Bool = false) -> MeasurementScene {
        let all = (0..<modes).map { index in
            var figures = LiveFigures(name: index == 0 ? "callback" : "queued \(index * 441)")
            figures.callbacks = 3151
            (figures.now, figures.recent, figures.p99, figures.worst) = (-2_140, 15_300, 14_200, 1_234_000)
            if isBad { (figures.xruns, figures.longIntervals, figures.lostNanoseconds) = (3, 2, 2_500_000) }
            return figures
        }
        var history = Sparkline("callback", unit: "µs", from: 1, to: 1333, digits: 1, isLogarithmic: true)
        for value in [0.5, 10, 100, 1333] { history.add(value) }
        return MeasurementScene(
            title: ["dummy stage", "48000 Hz", "64 frames = 1.33 ms", "async", "SCHED_FIFO 5"], phase: "measuring",
            done: "4.2 of 10.0 s", detail: "3151 callbacks", progress: 0.42, modes: all, history: [history],
            historySeconds: 0.4,
            trouble: isBad ? "the JACK server stands still: no cycle for 2 s" : nil)
    }

    private func page(_ columns: Int, _ rows: Int, unicode: Bool = true, color: Bool = false) -> Page {
        Page(columns: columns, rows: rows, hasColor: color, hasUnicode: unicode, hasKeys: true)
    }

    private func text(_ scene: MeasurementScene, _ page: Page) -> String {
        page.lines(scene).joined(separator: "\n")
    }

    @Test func `no line is wider than the window and no page longer`() {
        for modes in [0, 1, 8] {
            for isBad in [false, true] {
                expectFits { $0.lines(scene(modes: modes, isBad: isBad)) }
            }
        }
    }

    @Test(arguments: [(20, 5), (60, 12), (80, 24), (140, 40)])
    func `how far it is, p99, worst, xruns and lost time are seen in each window`(_ columns: Int, _ rows: Int) {
        let text = text(scene(), page(columns, rows))
        for word in ["4.2 of 10.0 s", "p99", "14.2 µs", "worst", "1.23 ms", "xruns"] {
            #expect(text.contains(word), "\(word) in \(text)")
        }
        #expect(columns < 60 || text.contains("callback "), "the name has room: \(text)")
        #expect(rows < 12 || text.contains("lost") && text.contains("-2.14 µs") && text.contains("42 %"), "\(text)")
        #expect(rows < 24 || text.contains("q end") && text.contains("stage") && text.contains("▁"), "\(text)")
    }

    @Test func `each mode has a row, and the bar is as long as what is done`() throws {
        let lines = page(80, 24).lines(scene(modes: 3))
        #expect(lines.contains { $0.hasPrefix("  queued 882") && $0.contains("1.23 ms") }, "\(lines)")
        let bar = try #require(lines.first { $0.contains("measuring") })
        let (filled, rest) = (bar.count { $0 == "█" }, bar.count { $0 == "─" })
        #expect(filled == Int(0.42 * Double(filled + rest)), "\(bar)")
        let ascii = text(scene(modes: 2), page(80, 24, unicode: false))
        #expect(ascii.contains("14.2 us") && ascii.contains("====") && ascii.contains("-2.14 us"), "\(ascii)")
    }

    @Test func `xruns and lost time are red, and nothing is where nothing was lost`() {
        let bad = text(scene(isBad: true), page(80, 24, color: true))
        #expect(bad.contains(/\x{1b}\[31m *3\x{1b}/) || bad.contains(/\x{1b}\[31m +2 +3 +2\.50 ms/), "\(bad)")
        #expect(bad.contains("stands still"), "\(bad)")
        #expect(!text(scene(), page(80, 24, color: true)).contains("\u{1b}[31m"))
    }

    @Test func `a logarithmic row of bars gives each tenfold the same height`() throws {
        var line = Sparkline("a", unit: "µs", from: 1, to: 10_000, digits: 0, isLogarithmic: true)
        for value in [0.1, 11, 110, 1100, 10_000] { line.add(value) }
        #expect(try #require(line.line(on: page(80, 24)).first).contains("▁▃▅▇█"))
    }
}

import AudioMetering
import CommandTestSupport
import Foundation
import TestSupport
import Testing

@testable import LiveRuns
@testable import TerminalPages

@Suite("The pictures of a sound as text") struct SoundPictureTests {
    private func page(_ columns: Int, _ rows: Int, unicode: Bool = true, color: Bool = false) -> Page {
        Page(columns: columns, rows: rows, hasColor: color, hasUnicode: unicode, hasKeys: true)
    }

    private func spectrum(_ hertz: Double) -> SpectrumLines {
        SpectrumAnalyzer(frames: 8192).lines(of: sine(hertz, frames: 8192), sampleRate: 48000)
    }

    /// All pictures at once.
    private func pictures(_ page: Page, rows: Int) -> [[String]] {
        let picture = SoundPicture(page: page, rows: rows)
        let lines = spectrum(1000)
        let (perOctave, bands) = picture.bands
        var hold = PeakHold(count: bands.centers.count)
        hold.update(lines.levels(of: bands), atSeconds: 0)
        let column = SoundTrail.Column(lowest: -0.2, highest: 0.3)
        let row = lines.highest(between: picture.spectrogramEdges)
        return [
            picture.waveform(Array(repeating: column, count: 30)),
            picture.oscilloscope(sine(440, frames: 8192), sampleRate: 48000, seconds: 0.01),
            picture.bars(hold, perOctave: perOctave, bands, lines.highestPeak()),
            picture.spectrum(lines, lines.highestPeak()),
            picture.spectrogram(Array(repeating: row, count: 50), secondsPerRow: 0.1, lines.highestPeak()),
            picture.equaliser(picture.curveFrequencies.map { $0 < 1000 ? -30 : 6 }, ["peak 1 kHz"], lines),
            picture.equaliser(nil, [], lines),
        ]
    }

    @Test(arguments: [1, 10, 20, 40, 60, 80, 132, 200], [2, 5, 8, 20, 56])
    func `fit their rows and the window, with and without Unicode`(_ columns: Int, _ rows: Int) {
        for unicode in [true, false] {
            for lines in pictures(page(columns, rows, unicode: unicode), rows: rows) {
                #expect(lines.count == rows && lines.allSatisfy { TerminalPages.columns(of: $0) < columns }, "\(lines)")
                #expect(unicode || lines.joined().allSatisfy(\.isASCII), "\(lines)")
            }
        }
    }

    @Test func `a bar is as high as its band, with a mark where it lately was`() {
        let picture = SoundPicture(page: page(80, 20), rows: 20)
        let (perOctave, bands) = picture.bands
        var levels = [Double](repeating: -140, count: bands.centers.count)
        levels[30] = -45
        var hold = PeakHold(count: levels.count)
        hold.update(levels, atSeconds: 0)
        levels[30] = -140
        hold.update(levels, atSeconds: 1)
        let lines = picture.bars(hold, perOctave: perOctave, bands, nil).map { Array($0) }
        // 59 bands in 74 columns behind the labels, 18 rows of 5 dB: it has fallen by 26 dB to -71, which are 30 eighths.
        let column = 5 + 30 * 74 / levels.count
        let cells = lines[1...18].map { column < $0.count ? $0[column] : " " }
        let expected =
            [Character](repeating: " ", count: 9) + ["▔"] + Array(repeating: " ", count: 4) + ["▆", "█", "█", "█"]
        #expect(levels.count == 59 && cells == expected, "\(cells)")
        let drawn = lines[1...18].map { $0.dropFirst(5).filter { $0 != " " }.count }.reduce(0, +)
        #expect(drawn == 5, "nothing else is drawn")
    }

    @Test func `a spectrum's cursor tells the highest peak, and lies above its frequency`() throws {
        let lines = pictures(page(80, 20), rows: 20)[3]
        #expect(lines[0].contains("peak 1000.0 Hz   -6.0 dB"), "\(lines[0])")
        let labels = Array(try #require(lines.last))
        let name = try #require(labels.indices.first { labels[$0...].starts(with: "1k") })
        let cursor = Array(lines[1])
        let place = try #require(cursor.indices.last { cursor[$0] != " " })
        #expect(abs(place - name) <= 1, "\(lines)")
        // The tone is at -6 dB, and nothing beside it above -90 dB.
        #expect(lines.dropFirst().dropLast().allSatisfy { line in line.dropFirst(5).filter { $0 != " " }.count <= 4 })
    }

    @Test func `the curve of an equaliser lies over the spectrum, and where there is none it says so`() {
        let picture = SoundPicture(page: page(80, 20), rows: 20)
        let silence = SpectrumAnalyzer(frames: 8192).lines(
            of: sine(1000, amplitude: 0, frames: 8192), sampleRate: 48000)
        let flat = picture.equaliser(picture.curveFrequencies.map { _ in 0 }, ["flat"], silence)
        #expect(flat[0].contains("EQUALISER") && flat[0].contains("flat"))
        // One line of dots in the middle, and nothing else but the axis.
        let dots = flat.indices.filter { flat[$0].dropFirst(5).contains { $0 >= "\u{2801}" && $0 <= "\u{28ff}" } }
        #expect(dots == [10], "\(flat)")
        let high = picture.equaliser(picture.curveFrequencies.map { _ in 24 }, [], silence)
        #expect(high[1].dropFirst(5).contains("\u{2809}"), "\(high)")
        let none = picture.equaliser(nil, [], spectrum(1000))
        #expect(
            none[0].contains("none: --eq") && none[4..<16].allSatisfy { $0.dropFirst(5).contains { $0 != " " } },
            "\(none)")
    }

    @Test func `a tone is one bar, and its mark stays while it falls`() {
        let picture = SoundPicture(page: page(80, 20), rows: 20)
        let (perOctave, bands) = picture.bands
        #expect(perOctave == 6)
        var hold = PeakHold(count: bands.centers.count)
        let lines = spectrum(1000)
        hold.update(lines.levels(of: bands), atSeconds: 0)
        let silence = [Double](repeating: -140, count: bands.centers.count)
        func rows(of symbol: Character) -> [Int] {
            picture.bars(hold, perOctave: perOctave, bands, nil).enumerated().filter { $1.contains(symbol) }.map(\.0)
        }
        let high = rows(of: "█")
        #expect(high.count >= 16, "\(high)")
        hold.update(silence, atSeconds: 1)
        #expect(rows(of: "█").count < high.count - 3 && rows(of: "▔") == [high[0] - 1], "\(rows(of: "▔"))")
    }

    @Test func `gaps and clips are marked in a waveform, and the wave is enlarged`() {
        let soft = SoundTrail.Column(lowest: -0.1, highest: 0.1)
        var columns = [SoundTrail.Column](repeating: soft, count: 40)
        let picture = SoundPicture(page: page(60, 10, color: true), rows: 10)
        #expect(
            picture.waveform(columns)[0].contains("±18 dB") && !picture.waveform(columns).joined().contains("[31m"))
        columns[10].isClipped = true
        columns[20] = SoundTrail.Column(lowest: 0, highest: 0, isGap: true)
        let lines = picture.waveform(columns)
        #expect(lines[0].contains("CLIP") && lines[0].contains("GAP") && lines.joined().contains("[31m"), "\(lines)")
    }

    @Test(arguments: [1.5, 10, 1e9, 3e38] as [Float], [1, -1] as [Float])
    func `what is far beyond full scale lies at the edge`(_ level: Float, _ sign: Float) {
        let picture = SoundPicture(page: page(60, 10), rows: 10)
        let column = SoundTrail.Column(lowest: sign * level, highest: sign * level, isClipped: true)
        let samples = [Float](repeating: sign * level, count: 8192)
        for lines in [
            picture.waveform(Array(repeating: column, count: 40)),
            picture.oscilloscope(samples, sampleRate: 48000, seconds: 0.01),
        ] {
            #expect(lines.count == 10 && lines[0].contains("±0 dB"), "\(lines)")
            // The upper or the lower dots of the row at that edge.
            let edge = lines[sign > 0 ? 1 : 9].dropFirst(5)
            #expect(edge.contains(sign > 0 ? "\u{2809}" : "\u{28c0}"), "\(lines)")
        }
    }

    @Test func `a wave stands still on an oscilloscope wherever its block begins`() {
        let picture = SoundPicture(page: page(80, 20), rows: 20)
        let wave = sine(220, frames: 20000)
        let first = picture.oscilloscope(Array(wave[100..<6000]), sampleRate: 48000, seconds: 0.02)
        let second = picture.oscilloscope(Array(wave[177..<6077]), sampleRate: 48000, seconds: 0.02)
        #expect(first[0].contains("20 ms   ±6 dB   triggered") && first == second, "\(first)\n\(second)")
        let still = picture.oscilloscope([Float](repeating: 0, count: 4000), sampleRate: 48000, seconds: 0.02)
        #expect(still[0].contains("not triggered"))
        // What is kept of the sound at 768 kHz is less than was asked for.
        let short = picture.oscilloscope(sine(220, frames: 32_768), sampleRate: 768_000, seconds: 0.1)
        #expect(short[0].contains("32 ms   ±6 dB   triggered"), "\(short[0])")
    }

    @Test func `a page with a picture has it between the title and what is wrong, and gives a low window to it`() {
        for (columns, rows) in [(200, 60), (80, 24), (60, 16), (40, 10), (20, 5)] {
            let page = page(columns, rows)
            let lines = page.lines(
                title: ["title"], state: ["state"], trouble: ["trouble"], keys: ["keys"],
                picture: { SoundPicture(page: page, rows: $0).waveform([]) })
            #expect(lines.count <= rows && lines.contains("state") && lines.contains("trouble"), "\(lines)")
            #expect(lines.contains { $0.contains("WAVEFORM") }, "\(lines)")
            #expect(lines.contains("title") == (rows >= 16) && lines.contains("keys") == (rows >= 16), "\(lines)")
        }
    }

    @Test(arguments: [("monitor --dummy --source tone:1000 --no-connect", "tone"), ("record --dummy x.wav", "")])
    func `v goes through them on a terminal, and comes back to the meters`(_ words: String, _ kind: String) throws {
        let folder = try TemporaryFolder()
        let screen = try Screen("\(words.replacingOccurrences(of: "x.wav", with: "'\(folder("x.wav"))'"))", in: folder)
        try screen.wait(for: "v picture")
        let last = kind == "tone" ? ["EQUALISER"] : []
        for name in ["WAVEFORM", "OSCILLOSCOPE", "BANDS", "SPECTRUM", "SPECTROGRAM"] + last {
            screen.type("v")
            try screen.wait(for: name)
            if kind == "tone", name == "SPECTRUM" { try screen.wait(for: "peak 1000.0 Hz") }
        }
        screen.type("v")
        try screen.wait(for: "v picture")
        screen.type("V")
        try screen.wait(for: last.first ?? "SPECTROGRAM")
        screen.type("q")
        #expect(try screen.run.end() == 0)
    }
}

@Suite("The trail of a sound") struct SoundTrailTests {
    @Test func `has the last samples and the lowest and highest of each 25 ms, with clips and gaps`() {
        let trail = SoundTrail()
        var left = [Float](repeating: 0, count: 3000)
        left[100] = 0.5
        left[1300] = -1
        trail.add([left[...], [Float](repeating: 0, count: 3000)[...]], sampleRate: 48000)
        let columns = trail.columns(10)
        #expect(columns.map(\.highest) == [0.25, 0] && columns.map(\.lowest) == [0, -0.5])
        #expect(columns.map(\.isClipped) == [false, true] && columns.allSatisfy { !$0.isGap })
        trail.add([[Float](repeating: 0.125, count: 1200)[...]], lostFrames: 2400, sampleRate: 48000)
        #expect(trail.columns(10).map(\.isGap) == [false, false, true, true, true, false])
        let recent = trail.recent(1201)
        #expect(recent.samples == [0] + [Float](repeating: 0.125, count: 1200) && recent.sampleRate == 48000)
    }

    @Test func `keeps no more than it is for, whatever is lost`() {
        let trail = SoundTrail()
        for _ in 0..<100 {
            trail.add([[Float](repeating: .nan, count: 5000)[...]], lostFrames: .max, sampleRate: 8000)
        }
        #expect(trail.columns(.max).count <= 2 * SoundTrail.mostColumns)
        #expect(trail.recent(.max).samples.count == SoundTrail.mostFrames)
        #expect(trail.recent(100).samples.allSatisfy { $0 == 0 } && trail.recent(-1).samples.isEmpty)
    }
}

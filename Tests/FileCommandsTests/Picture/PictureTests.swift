import AudioFiles
import CommandTestSupport
import Foundation
import FoundationXML
import TestSupport
import Testing

@testable import AudioMetering
@testable import AudioPictures
@testable import AudioReports
@testable import TerminalPages

@Suite("iounit picture") struct PictureTests {
    private let folder: TemporaryFolder
    init() throws { folder = try TemporaryFolder() }

    private func file(_ name: String = "take.wav", seconds: Double = 1) throws -> String {
        let samples = (0..<Int(seconds * 48000)).map { Float(0.5 * sin(2 * .pi * 1000 * Double($0) / 48000)) }
        let path = folder(name)
        try SoundFile(sampleRate: 48000, channels: [samples, samples]).write(path)
        return path
    }

    /// Where a list beside a recording says that a quarter of a second is missing, from half a second on.
    private func writeGaps(beside path: String) throws {
        try """
        {"schema":"iounit.recording/1","gapFill":"silence","start":{"wallTime":"2026-01-01T00:00:00Z"},
        "segments":[{"path":"\(path)"}],"omittedGaps":0,"gaps":[
        {"segment":1,"frame":24000,"cause":"late","lengthNanoseconds":250000000,"filledFrames":12000},
        {"segment":1,"frame":40000,"cause":"pause","lengthNanoseconds":250000000,"filledFrames":0}]}
        """.write(toFile: "\(path).json", atomically: true, encoding: .utf8)
    }

    @Test func `draws an SVG that needs nothing else, and marks a recording's gap`() throws {
        let path = try file()
        try writeGaps(beside: path)
        let run = try CommandRun.run("picture", path)
        #expect(run.code == 0 && run.out.contains("48000 Hz, 2 channels, 1.00 s, 1 gap"), "\(run.out)\(run.err)")
        let svg = try String(contentsOfFile: folder("take.svg"), encoding: .utf8)
        #expect(svg.hasPrefix("<svg xmlns=") && svg.hasSuffix("</svg>\n") && svg.contains("take.wav"))
        #expect(svg.contains("prefers-color-scheme: dark") && svg.contains("href=\"data:image/png;base64,iVBOR"))
        // 1096 columns begin at 84: a gap in both pictures, from a half to three quarters.
        let gaps = svg.matches(of: /<rect class="gap" x="([0-9.]+)" y="[0-9.]+" width="([0-9.]+)"/)
        let places = gaps.map { [Double($0.1) ?? 0, Double($0.2) ?? 0] }
        #expect(places == [[632, 274], [632, 274]], "\(places)")
    }

    /// The largest integer is a little less than 1.
    @Test(arguments: [SoundFileFormat.Encoding.pcm8, .pcm16, .pcm24, .float])
    func `marks samples at the full scale of the file`(_ encoding: SoundFileFormat.Encoding) throws {
        let format = try #require(SoundFileFormat(.wav, encoding))
        for (peak, isClipped) in [(Float(1), true), (0.9, false)] {
            let path = folder("\(peak).wav")
            let writer = try SoundFileWriter(path: path, format: format, sampleRate: 48000, channels: 1)
            try writer.write([Float](repeating: peak, count: 4800))
            try writer.close()
            #expect(try CommandRun.run("picture", path).code == 0)
            let svg = try String(contentsOfFile: folder("\(peak).svg"), encoding: .utf8)
            #expect(svg.contains("class=\"clip\"") == isClipped, "\(peak)")
        }
    }

    @Test func `draws a recording whose list of gaps is broken, and complains of the list`() throws {
        let path = try file()
        try #"{"schema":"iounit.recording/1","gaps":7}"#.write(
            toFile: "\(path).json", atomically: true, encoding: .utf8)
        let run = try CommandRun.run("picture", path)
        #expect(run.code == 0 && run.out.contains("48000 Hz, 2 channels, 1.00 s"), "\(run.out)\(run.err)")
        #expect(run.err.contains("take.wav.json") && run.err.contains("it is no list of gaps"), "\(run.err)")
        let svg = try String(contentsOfFile: folder("take.svg"), encoding: .utf8)
        #expect(svg.hasSuffix("</svg>\n") && !svg.contains("class=\"gap\""))
        // As a full disk leaves it; a file of another program's says nothing.
        for (content, complaint) in [(#"{"gapFill":"silence","gaps":[{"cau"#, "it was cut off"), (#"{"a":1}"#, "")] {
            try content.write(toFile: "\(path).json", atomically: true, encoding: .utf8)
            let run = try CommandRun.run("picture", path, "--force")
            let isTold = complaint.isEmpty ? run.err.isEmpty : run.err.contains(complaint)
            #expect(run.code == 0 && isTold, "\(run.err)")
        }
    }

    @Test func `draws the sound of a stethoscope of 500 Hz, up to half of that`() throws {
        let path = folder("heart.wav")
        try SoundFile(sampleRate: 500, channels: [(0..<2000).map { Float(sin(Double($0))) }]).write(path)
        let run = try CommandRun.run("picture", path)
        #expect(run.code == 0 && run.out.contains("500 Hz, 1 channel, 4.00 s"), "\(run.out)\(run.err)")
        let svg = try String(contentsOfFile: folder("heart.svg"), encoding: .utf8)
        #expect(svg.contains(">200 Hz<") && !svg.contains(">500 Hz<"), "it ends at 250 Hz")
    }

    @Test func `makes a page with a picture for wide and one for narrow screens, and a list of gaps`() throws {
        let path = try file()
        try writeGaps(beside: path)
        let run = try CommandRun.run("picture", path, "-o", folder("take.html"))
        #expect(run.code == 0 && run.out.contains("take.html: waveform and spectrogram of take.wav"), "\(run.err)")
        let page = try String(contentsOfFile: folder("take.html"), encoding: .utf8)
        #expect(XMLParser(data: Data(page.utf8)).parse(), "the page is well-formed")
        #expect(page.contains("default-src 'none'; style-src 'unsafe-inline'; img-src data:"))
        let addresses = page.matches(of: /(?:href|src)="([^"]{0,22})/).map { String($0.1) }
        #expect(addresses.count == 2 && addresses.allSatisfy { $0 == "data:image/png;base64," }, "\(addresses)")
        let cells = page.matches(of: /<td[^>]* data-label="([^"]*)">([^<]*)</).map { "\($0.1): \($0.2)" }
        #expect(cells == ["cause: late", "at, s: 0.500", "missing, s: 0.250"], "\(cells)")
        let tiles = page.matches(of: /<li class="(\w+)"><span class="name">[^a-z<]*(\w+)</).map { "\($0.2) \($0.1)" }
        #expect(tiles == ["length plain", "peak plain", "gaps bad"], "\(tiles)")
        #expect(page.contains("<span class=\"value\">00:00:01</span>"), "hours, minutes and seconds, as everywhere")
        // In each, a gap in both pictures, from a half to three quarters of the columns behind 84 pixels.
        for (style, width, columns) in [("wide", 780, 676.0), ("narrow", 340, 236.0)] {
            let start = try #require(page.range(of: "<svg class=\"sound \(style)\" viewBox=\"0 0 \(width) "))
            let end = try #require(page.range(of: "</svg>", range: start.upperBound..<page.endIndex))
            let gaps = page[start.upperBound..<end.lowerBound].matches(
                of: /<rect class="gap" x="([0-9.]+)" y="[0-9.]+" width="([0-9.]+)"/)
            let places = gaps.map { [Double($0.1) ?? 0, Double($0.2) ?? 0] }
            #expect(places == [[84 + columns / 2, columns / 4], [84 + columns / 2, columns / 4]], "\(places)")
        }
    }

    @Test func `has the same inks in a page as in a picture, on light and on dark ground`() {
        let page = PageStyle.page(title: "", body: "", hasPictures: true)
        for ink in DrawingInk.allCases {
            #expect(page.contains("svg.sound .\(ink.rawValue) { fill: var(--\(ink.rawValue)); stroke: none; }"))
            for isDark in [false, true] {
                #expect(page.contains("--\(ink.rawValue): \(ink.hexadecimal(isDark: isDark));"))
            }
        }
        // A page without pictures of sound can have no images.
        #expect(!PageStyle.page(title: "", body: "").contains("img-src"))
    }

    @Test func `draws a PNG of the size that was asked for, and does not replace one`() throws {
        let path = try file()
        let target = folder("x.png")
        let run = try CommandRun.run("picture", path, "-o", target, "--size", "640x300", "--dark")
        #expect(run.code == 0, "\(run.err)")
        let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: target)))
        #expect(bytes.starts(with: [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]))
        #expect(Array(bytes[16..<24]) == [0, 0, 2, 128, 0, 0, 1, 44])
        let again = try CommandRun.run("picture", path, "-o", target)
        #expect(again.code == 73 && again.err.contains("with --force") && again.out.isEmpty, "\(again.err)")
        #expect(try CommandRun.run("picture", path, "-o", target, "--force", "--waveform").code == 0)
        let both = try CommandRun.run("picture", path, "-o", target, "--force", "--waveform", "--spectrogram")
        #expect(both.code == 64, "\(both.err)")
        #expect(
            both.err.contains("--waveform and --spectrogram exclude each other: without either there are both"),
            "\(both.err)")
    }

    @Test func `says what is wrong with a file, and leaves nothing behind`() throws {
        try SoundFile(sampleRate: 48000, channels: [[]]).write(folder("empty.wav"))
        let empty = try CommandRun.run("picture", folder("empty.wav"))
        #expect(empty.code == 65 && empty.err.contains("nothing to draw"), "\(empty.err)")
        #expect(try CommandRun.run("picture", folder("none.wav")).code == 66)
        let names = try FileManager.default.contentsOfDirectory(atPath: folder("")).sorted()
        #expect(names == ["empty.wav"], "\(names)")
    }

    @Test(arguments: [SIGINT, SIGTERM])
    func `ends by a signal while its source is silent, and leaves nothing behind`(_ signal: Int32) throws {
        let bytes = try Data(contentsOf: URL(fileURLWithPath: file()))
        let source = Pipe()
        let run = try CommandRun(
            ["picture", "-", "-o", folder("x.html")], input: source.fileHandleForReading)
        try source.fileHandleForWriting.write(contentsOf: bytes.prefix(32768))
        try run.wait(until: "it has begun its file") { run.hasDraft(in: folder.path) }
        run.send(signal)
        #expect(try run.end() == -signal, "\(run.err)")
        #expect(folder.names == ["take.wav"])
        // Until now its source was there.
        try source.fileHandleForWriting.close()
    }

    @Test func `gaps that meet are one band, so that however many there are the picture stays small`() {
        // From 1 to 3 s, and a thousand in each tenth of a second from 5 to 6 s.
        let gaps = [1.5...3, 1.0...2] + (0..<10_000).map { 5 + Double($0) / 10_000 }.map { $0...$0 }
        let figures = OverviewFigures(
            title: "take", facts: "", seconds: 10, columns: [(-1, 1, false)],
            levels: [], hertz: 20...20000, gaps: gaps)
        var surface = VectorSurface(width: 640, height: 300) { _, _, _ in "" }
        OverviewDrawing(figures, width: 640, height: 300).draw(on: &surface)
        let bands = surface.svg(says: "").matches(
            of: /<rect class="gap" x="([0-9.]+)" y="[0-9.]+" width="([0-9.]+)"/)
        // 536 columns from 84 on. The last gap has no extent, and 2 pixels.
        #expect(bands.map { "\($0.1) \($0.2)" } == ["137.6 107.2", "352 55.6"])
    }

    @Test(arguments: [
        ("take", 640, "take", true), ("a take of an evening with a rather long name.wav", 640, "a take of ", true),
        ("a take of an evening with a rather long name.wav", 300, "a take of ", false),
    ])
    func `the title and the facts do not lie over each other`(
        title: String, width: Int, start: String, hasFacts: Bool
    ) throws {
        let figures = OverviewFigures(
            title: title, facts: "48000 Hz, 2 channels, 6.00 s", seconds: 10,
            columns: [(-1, 1, false)], levels: [], hertz: 20...20000, gaps: [])
        var surface = VectorSurface(width: width, height: 300) { _, _, _ in "" }
        OverviewDrawing(figures, width: width, height: 300).draw(on: &surface)
        let svg = surface.svg(says: "")
        let shown = try #require(svg.firstMatch(of: /<text class="ink"[^>]*>([^<]*)</)).1
        #expect(shown.hasPrefix(start) && (shown.hasSuffix("…") || shown == title), "\(shown)")
        #expect(svg.contains(figures.facts) == hasFacts)
        let taken = surface.width(of: String(shown)) + (hasFacts ? surface.width(of: figures.facts) + 10 : 0)
        #expect(taken <= Double(width - 104))
    }

    @Test func `on pixels the wave, a gap and a clip have their colours where they are`() {
        var columns = [OverviewFigures.Column](
            repeating: (-0.5, 0.5, false), count: OverviewDrawing.columns(width: 640))
        columns[100] = (-1, 1, true)
        let figures = OverviewFigures(
            title: "take", facts: "", seconds: 10, columns: columns, levels: [], hertz: 20...20000, gaps: [5...6])
        var surface = RasterSurface(width: 640, height: 300, isDark: false)
        OverviewDrawing(figures, width: 640, height: 300).draw(on: &surface)
        func color(_ x: Int, _ y: Int) -> UInt32 {
            surface.pixels[3 * (y * 640 + x)..<3 * (y * 640 + x) + 3].reduce(0) { $0 << 8 | UInt32($1) }
        }
        #expect(color(0, 0) == 0xffffff && color(300, 140) == DrawingInk.wave.color(isDark: false))
        #expect(color(300, 45) == DrawingInk.panel.color(isDark: false))
        #expect(color(184, 45) == DrawingInk.clip.color(isDark: false))
        // 536 columns from 84 on: the gap is from 352 to 405.6.
        let marked = color(380, 45)
        #expect(marked >> 16 > (marked >> 8 & 0xff) + 60, "\(String(marked, radix: 16))")
        #expect(color(345, 45) == DrawingInk.panel.color(isDark: false))
    }
}

@Suite("The overview of a sound") struct SoundOverviewTests {
    private let edges = (0...60).map { 20 * pow(1000, Double($0) / 60) }

    private func overview(_ samples: [Float], columns: Int = 100, block: Int = 1000) -> SoundOverview {
        var overview = SoundOverview(columns: columns, edges: edges, sampleRate: 48000, channels: 1)
        for start in stride(from: 0, to: samples.count, by: block) {
            let part = Array(samples[start..<min(samples.count, start + block)])
            overview.add(part.count, of: part)
        }
        overview.finish()
        return overview
    }

    @Test(arguments: [1, 300, 5000, 48000, 480_000])
    func `has as many columns as are wanted, whatever the length and the blocks`(_ frames: Int) {
        var generator = SeededGenerator(seed: 9)
        let samples = generator.signal(count: frames)
        let (one, other) = (overview(samples), overview(samples, block: 77))
        #expect(one.columns.count == 100 && one.levels.count == 100 && one.levels.allSatisfy { $0.count == 60 })
        #expect(one.columns == other.columns && one.levels == other.levels)
        #expect(one.columns.map(\.highest).max() == samples.max() && one.columns.map(\.lowest).min() == samples.min())
    }

    @Test func `has a tone in its row, and its beginning and a clip in their columns`() throws {
        var samples = [Float](repeating: 0, count: 480_000)
        for frame in 240_000..<480_000 { samples[frame] = Float(0.5 * sin(2 * .pi * 1000 * Double(frame) / 48000)) }
        samples[100_000] = -1
        let overview = overview(samples)
        let columns = overview.columns
        let clipped = columns.indices.filter { columns[$0].isClipped }
        #expect(clipped.contains(20) && clipped.count <= 2, "\(clipped)")
        #expect(columns[48].highest == 0 && abs(columns[51].highest - 0.5) < 0.01)
        let levels = overview.levels
        let row = try #require(edges.indices.last { edges[$0] <= 1000 })
        #expect(abs(levels[75][row] + 6) < 1 || abs(levels[75][row - 1] + 6) < 1, "\(levels[75])")
        #expect(levels[75].filter { $0 > -60 }.count <= 3 && levels[47].allSatisfy { $0 < -130 }, "\(levels[75])")
    }
}

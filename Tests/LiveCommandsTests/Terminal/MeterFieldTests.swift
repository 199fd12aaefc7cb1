import Testing

@testable import TerminalPages

@Suite("Level meters as lines") struct MeterFieldTests {
    private func page(_ columns: Int, hasUnicode: Bool = true) -> Page {
        Page(columns: columns, rows: 50, hasColor: false, hasUnicode: hasUnicode, hasKeys: true)
    }

    private func meters(_ count: Int, peak: Float = 0.25) -> [LevelMeter] {
        (0..<count).map { number in
            var meter = LevelMeter()
            meter.update(peak: peak, clipped: number == count - 1 ? 1 : 0, time: 0, elapsed: 0.03)
            return meter
        }
    }

    private func numbers(_ lines: [String]) -> [Int] {
        lines.flatMap { line in line.matches(of: /(\d+) [█▏▎▍▌▋▊▉┃─]+\s/).compactMap { Int($0.output.1) } }
    }

    @Test func `half of the width is for the top 20 dB, and each place has its level`() {
        #expect(MeterScale.place(of: -20) == 0.5 && MeterScale.place(of: 0) == 1 && MeterScale.place(of: 6) == 1)
        #expect(MeterScale.place(of: -.infinity) == 0 && MeterScale.place(of: -80) == 0)
        for place in stride(from: 0.01, to: 1, by: 0.01) {
            #expect(abs(MeterScale.place(of: MeterScale.level(at: place)) - place) < 1e-9)
        }
    }

    @Test func `a bar is as long as its level to an eighth of a cell`() throws {
        // -20 dB is the middle of the bar, whose length is that of 100 columns but for 24.
        let field = MeterField(page(100), meters(1, peak: 0.1), room: 1)
        let line = try #require(field.lines.first)
        #expect(line.count { $0 == "█" } == 38 && line.contains("┃"), "\(line)")
        let lengths = stride(from: Float(0.1), to: 0.2, by: 0.005).map { peak in
            // The mark of the highest one stands elsewhere.
            var meter = meters(1, peak: 1)[0]
            meter.update(peak: peak, clipped: 1, time: 0.1, elapsed: 10)
            let line = MeterField(page(100), [meter], room: 1).lines[0]
            return line.filter { "█▏▎▍▌▋▊▉".contains($0) }
        }
        #expect(Set(lengths).count > 15, "\(lengths)")
    }

    @Test func `all are seen side by side where the window is wide`() {
        let field = MeterField(page(200), meters(100), room: 25)
        #expect(field.lines.count == 25 && numbers(field.lines).sorted() == Array(1...100))
        // From top to bottom, then on the right.
        #expect(numbers([field.lines[0]]) == [1, 26, 51, 76])
        #expect(field.scale.count { $0 == "0" } >= 4 && field.lines.allSatisfy { $0.count < 200 })
    }

    @Test func `in a narrow window the line of what is not seen has fewer words, and none is cut off`() {
        let quiet = Array(meters(5).dropLast())
        #expect(MeterField(page(40), quiet, room: 1).lines == ["  4 others: at most -12.0 dB "])
        #expect(MeterField(page(20), quiet, room: 1).lines == ["4 others: -12.0 dB"])
        #expect(MeterField(page(25), meters(4), room: 1).lines == ["4 others: -12.0 dB CLIP "])
        #expect(MeterField(page(20), meters(4), room: 1).lines == ["-12.0 dB CLIP "])
    }

    @Test func `of 256 each is seen in one of the parts, and what is not seen tells its level and its clip`() {
        let all = meters(256)
        var seen: [Int] = []
        var part = 0
        repeat {
            let lines = MeterField(page(80), all, room: 12, part: part).lines
            #expect(lines.count <= 12)
            #expect(lines.last?.contains("of 256") == true && lines.last?.contains("-12.0 dB") == true, "\(lines)")
            seen += numbers(lines)
            part += 1
        } while seen.count < 256 && part < 50
        #expect(seen.sorted() == Array(1...256))
        #expect(MeterField(page(80), all, room: 12, part: 0).lines.last?.contains("CLIP") == true)
        #expect(MeterField(page(80), all, room: 12, part: part).lines == MeterField(page(80), all, room: 12).lines)
        // The keys that show others are named where there is room for all of it.
        for columns in 45...80 {
            let line = MeterField(page(columns), all, room: 12).lines.last ?? ""
            #expect(line.hasSuffix(" CLIP ") || line.hasSuffix(" CLIP   ↑↓ others"), "\(columns): \(line)")
        }
        let last = MeterField(page(80), all, room: 12, part: part - 1).lines
        #expect(MeterField(page(80), all, room: 12, part: -1).lines == last)
    }

    @Test func `a label gives way at its front`() {
        var meter = meters(1)[0]
        (meter.label, meter.partner) = ("in 1", "a client with a very long name:its port → ")
        #expect(MeterField(page(60), [meter], room: 1).lines[0].contains("→ in 1 █"))
        let plain = MeterField(page(60, hasUnicode: false), [meter], room: 1).lines[0]
        #expect(MeterField(page(40), [meter], room: 1).lines[0].hasPrefix("in 1 █"))
        #expect(plain.contains("> in 1 =") && plain.allSatisfy { $0.isASCII }, "\(plain)")
    }

    @Test(arguments: ["系统音频采集设备:左声道输入", "オーディオ入力インターフェース:a"])
    func `level and lamp are seen beside a label of wide characters`(_ label: String) {
        var meter = meters(1)[0]
        meter.label = label
        let line = MeterField(page(60), [meter], room: 1).lines[0]
        #expect(line.hasSuffix(" -12.0 dB  CLIP ") && TerminalPages.columns(of: line) == 59, "\(line)")
        #expect(line.contains(label.suffix(9)), "\(line)")
    }

    @Test func `the last seconds are a row of bars that ends with the newest`() throws {
        var load = Sparkline("load", unit: "%", from: 0, to: 8, digits: 1)
        #expect(load.line(on: page(80)).isEmpty)
        for value in 0..<8 { load.add(Double(value)) }
        load.add(.nan)
        load.add(16)
        let line = try #require(load.line(on: page(80)).first)
        // Sixteen fills the height now.
        #expect(line.contains("▁▁▂▂▃▃▄▄▁█") && line.contains("16.0  max    16.0 %"), "\(line)")
        #expect(load.line(on: page(20)).isEmpty && line.count < 80)
    }

    @Test func `the clip lamp goes on again where the count has begun again at 0`() {
        var meter = LevelMeter()
        func isLit(_ clipped: UInt64, at time: Double) -> Bool {
            meter.update(peak: 1, clipped: clipped, time: time, elapsed: 1)
            return meter.isClipping
        }
        #expect(isLit(1000, at: 0) && isLit(1000, at: 2) && !isLit(1000, at: 4))
        #expect(!isLit(0, at: 5) && isLit(1, at: 6) && !isLit(1, at: 10))
        // Also where it has counted on before it is looked at.
        #expect(isLit(1000, at: 11) && !isLit(1000, at: 15) && isLit(2, at: 16))
    }

    @Test func `losses are told with their age, and are an alarm for a minute`() {
        #expect(Page.ago(12.7) == "12 s ago" && Page.ago(600) == "10 min ago" && Page.ago(9000) == "2 h ago")
        let page = page(80)
        #expect(page.losses(3, 1.5, secondsAgo: 5).flatMap { $0 }.map(\.tint).contains(.red))
        #expect(!page.losses(3, 1.5, secondsAgo: 65).flatMap { $0 }.map(\.tint).contains(.red))
        #expect(page.losses(3, 1.5, secondsAgo: 65).flatMap { $0 }.map(\.text).contains(" (65 s ago)"))
    }
}

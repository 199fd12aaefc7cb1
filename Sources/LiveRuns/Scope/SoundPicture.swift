import AudioDSP
import AudioMetering
import AudioReports
import Glibc
import TerminalPages

/// Draws a sound as lines of text: nothing in here knows of a terminal.
///
/// Each picture has a line of words at the top, and as many rows below as it is given.
struct SoundPicture {
    let page: Page
    let rows: Int

    /// Of labels at the left.
    private static let margin = 5
    /// What is shown of a spectrum, in dB.
    static let levels = -90.0...0.0
    /// In hertz.
    static let frequencies = 20.0...20000.0

    private var columns: Int { max(8, page.columns - 1 - Self.margin) }
    private var height: Int { max(1, rows - 1) }

    private func canvas(rows: Int) -> Canvas { Canvas(columns: Self.margin + columns, rows: rows) }

    private func header(_ name: String, _ words: [String]) -> String {
        var line = page.line()
        line.add("  ")
        line.add(" \(name) ", .active)
        // What does not fit as a whole is left out, the last first.
        for word in words where line.width + 3 + word.count < page.columns { line.add("   " + word) }
        return line.text
    }

    private func frame(_ x: Int) -> Int { 2 * Self.margin + x }

    // Over time.

    /// How many columns of a trail fit.
    var waveColumns: Int { 2 * columns }

    /// The lowest and highest samples of the last seconds, the newest at the right. What clips is red, and so are gaps.
    func waveform(_ trail: [SoundTrail.Column]) -> [String] {
        var canvas = canvas(rows: height)
        let shown = trail.suffix(waveColumns)
        let (scale, decibels) = Self.scale(shown.reduce(0) { max($0, abs($1.lowest), abs($1.highest)) })
        axis(&canvas, decibels)
        func place(_ sample: Float) -> Int { Self.place(Double(sample) * scale, height: canvas.height) }
        let start = waveColumns - shown.count
        for (index, column) in shown.enumerated() {
            let x = frame(start + index)
            if column.isGap {
                for y in stride(from: 0, to: canvas.height, by: 2) { canvas.dot(x, y, .red) }
                continue
            }
            let peak = max(abs(column.lowest), abs(column.highest))
            canvas.dots(
                x, from: place(column.highest), to: place(column.lowest),
                column.isClipped ? .red : Self.tint(Decibels.decibels(Double(peak))))
        }
        let seconds = Double(waveColumns) / SoundTrail.columnsPerSecond
        let gaps = shown.contains(where: \.isGap) ? ["GAP"] : []
        let clips = shown.contains(where: \.isClipped) ? ["CLIP"] : []
        return [header("WAVEFORM", ["\(fixed(seconds, 1)) s", "±\(decibels) dB"].map(plain) + clips + gaps)]
            + canvas.lines(for: page)
    }

    /// A few milliseconds, from a rising edge on where there is one.
    ///
    /// - Parameters:
    ///   - samples: those shown are the last ones; about as many before them are looked at for the edge.
    ///   - seconds: how much is shown.
    func oscilloscope(_ samples: [Float], sampleRate: Int, seconds: Double) -> [String] {
        var canvas = canvas(rows: height)
        // At the highest rates there are fewer than were asked for, and some are left to look for the edge in.
        let length = max(2, min(samples.count * 3 / 4, Int(seconds * Double(sampleRate))))
        let seconds = min(seconds, Double(length) / Double(sampleRate))
        let edge = RisingEdge.last(in: samples, before: samples.count - length)
        let start = edge ?? Double(max(0, samples.count - length))
        let end = min(samples.count, Int(start) + length)
        let (scale, decibels) = Self.scale(samples[min(Int(start), end)..<end].reduce(0) { max($0, abs($1)) })
        axis(&canvas, decibels)
        func place(_ sample: Double) -> Int { Self.place(sample * scale, height: canvas.height) }
        /// Between two samples by a straight line.
        func sample(_ place: Double) -> Double {
            let index = max(0, min(samples.count - 2, Int(place)))
            let part = place - Double(index)
            return Double(samples[index]) * (1 - part) + Double(samples[index + 1]) * part
        }
        let width = 2 * columns
        let step = Double(length - 1) / Double(width)
        for x in 0..<width where samples.count >= 2 {
            let from = start + Double(x) * step
            var (lowest, highest) = (min(sample(from), sample(from + step)), max(sample(from), sample(from + step)))
            var index = Int(from) + 1
            while Double(index) < from + step, index < samples.count {
                lowest = min(lowest, Double(samples[index]))
                highest = max(highest, Double(samples[index]))
                index += 1
            }
            let peak = Decibels.decibels(max(abs(lowest), abs(highest)))
            canvas.dots(frame(x), from: place(highest), to: place(lowest), peak >= 0 ? .red : Self.tint(peak))
        }
        let words = ["\(fixed(seconds * 1000, 0)) ms", "±\(decibels) dB", edge == nil ? "not triggered" : "triggered"]
        return [header("OSCILLOSCOPE", words.map(plain))] + canvas.lines(for: page)
    }

    /// A line at 0, with the level of the picture's edge.
    private func axis(_ canvas: inout Canvas, _ decibels: Int) {
        canvas.text(0, 0, alignedRight("\(-decibels)", 4), .dim)
        canvas.text(0, canvas.rows / 2, alignedRight("0", 4), .dim)
        for x in stride(from: 0, to: 2 * columns, by: 4) { canvas.dot(frame(x), canvas.height / 2, .dim) }
    }

    /// Where a sample is drawn, in dots from the top: what lies beyond full scale, at the edge.
    private static func place(_ sample: Double, height: Int) -> Int {
        let fromTop = (1 - max(-1, min(1, sample))) / 2
        return Int((fromTop * Double(height - 1)).rounded())
    }

    /// By how much a wave is enlarged, in steps of 6 dB, and how far below full scale the picture's edge is.
    private static func scale(_ highest: Float) -> (scale: Double, decibels: Int) {
        let steps = highest > 0 && highest < 1 ? min(10, Int((-log2(Double(highest))).rounded(.down))) : 0
        return (exp2(Double(steps)), 6 * steps)
    }

    private func plain(_ word: String) -> String {
        page.hasUnicode ? word : word.replacing("±", with: "+-")
    }

    static func tint(_ decibels: Double) -> Page.Tint { decibels >= -3 ? .red : decibels >= -12 ? .yellow : .green }
}

// Over frequency.
extension SoundPicture {
    /// Rows of a canvas above the names of the frequencies.
    private var bodyRows: Int { max(1, height - 1) }

    /// As many bands in an octave as there is room for.
    var bands: (perOctave: Int, bands: OctaveBands) {
        let all = [24, 12, 6, 3].lazy.map { ($0, OctaveBands(perOctave: $0, in: Self.frequencies)) }
        return all.first { $0.1.centers.count <= columns } ?? (1, OctaveBands(perOctave: 1, in: Self.frequencies))
    }

    /// Bars of bands, with a mark where each was lately.
    func bars(_ hold: PeakHold, perOctave: Int, _ bands: OctaveBands, _ peak: SpectrumLines.Peak?) -> [String] {
        var canvas = canvas(rows: height)
        levelAxis(&canvas)
        let count = min(hold.levels.count, bands.centers.count)
        for band in 0..<count {
            let (first, last) = (band * columns / count, (band + 1) * columns / count - 1)
            // A gap between bars that are wide.
            let end = last - first >= 2 ? last - 1 : last
            let eighths = Int(share(hold.levels[band]) * Double(8 * bodyRows) + 0.5)
            let mark = Int(share(hold.held[band]) * Double(bodyRows) + 0.5)
            let cells = Self.margin + first...Self.margin + max(first, end)
            for row in 0..<bodyRows {
                let part = max(0, min(8, eighths - 8 * row))
                guard part > 0 || row == mark - 1 else { continue }
                let symbol = part > 0 ? (page.hasUnicode ? Self.blocks[part] : "#") : page.hasUnicode ? "▔" : "-"
                let level = Self.levels.lowerBound + 90 * (Double(row) + 1) / Double(bodyRows)
                canvas.fill(cells, bodyRows - 1 - row, symbol, part > 0 ? Self.tint(level) : .plain)
            }
        }
        frequencyAxis(&canvas, FrequencyAxis(bands.edges[0]...(bands.edges.last ?? 1), width: columns))
        return [header("BANDS", Self.words(peak) + ["1/\(perOctave) octave"])] + canvas.lines(for: page)
    }

    /// A fine line, with a cursor at the highest peak.
    func spectrum(_ lines: SpectrumLines?, _ peak: SpectrumLines.Peak?) -> [String] {
        var canvas = canvas(rows: height)
        levelAxis(&canvas)
        let axis = FrequencyAxis(Self.frequencies, width: 2 * columns)
        let bottom = 4 * bodyRows - 1
        func place(_ decibels: Double) -> Int { bottom - Int(share(decibels) * Double(bottom) + 0.5) }
        if let peak, peak.hertz >= Self.frequencies.lowerBound, peak.hertz <= Self.frequencies.upperBound {
            let x = frame(Int(axis.place(peak.hertz)))
            for y in stride(from: 0, through: bottom, by: 3) { canvas.dot(x, y, .dim) }
        }
        if let lines {
            let levels = lines.highest(between: axis.edges)
            // Where the line leaves the floor it is drawn down to it.
            line(&canvas, levels.map(place), without: bottom) { Self.tint(levels[$0]) }
        }
        frequencyAxis(&canvas, FrequencyAxis(Self.frequencies, width: columns))
        return [header("SPECTRUM", Self.words(peak))] + canvas.lines(for: page)
    }

    /// Where the equaliser's curve is asked for, in hertz: a dot each.
    var curveFrequencies: [Double] { Array(FrequencyAxis(Self.frequencies, width: 2 * columns).edges.dropLast()) }
    /// What is shown of the curve, in dB to both sides.
    private static let reach = 24.0

    /// The curve of an equaliser, and below it the spectrum of what it lets through.
    ///
    /// - Parameters:
    ///   - curve: in dB, at `curveFrequencies`; `nil` where there is no equaliser.
    ///   - words: its bands.
    func equaliser(_ curve: [Double]?, _ words: [String], _ lines: SpectrumLines) -> [String] {
        var canvas = canvas(rows: height)
        let bottom = 4 * bodyRows - 1
        let levels = lines.highest(between: FrequencyAxis(Self.frequencies, width: 2 * columns).edges)
        for (x, level) in levels.enumerated() where share(level) > 0 {
            canvas.dots(frame(x), from: bottom - Int(share(level) * Double(bottom) + 0.5), to: bottom, .blue)
        }
        func place(_ decibels: Double) -> Int {
            let part = max(-1, min(1, decibels / Self.reach))
            return Int(Double(bottom) * (0.5 - part / 2) + 0.5)
        }
        if let curve {
            for (row, level) in [(0, Self.reach), (bodyRows / 2, 0), (bodyRows - 1, -Self.reach)] {
                canvas.text(0, row, alignedRight((level > 0 ? "+" : "") + fixed(level, 0), 4), .dim)
            }
            line(&canvas, curve.map(place), without: bottom) { _ in .yellow }
        }
        frequencyAxis(&canvas, FrequencyAxis(Self.frequencies, width: columns))
        return [header("EQUALISER", curve == nil ? ["none: --eq gives a band"] : words)] + canvas.lines(for: page)
    }

    /// A line through places from the top, but for those that lie with the place before on the floor.
    private func line(_ canvas: inout Canvas, _ places: [Int], without floor: Int, tint: (Int) -> Page.Tint) {
        var last = places.first ?? floor
        for (x, now) in places.enumerated() {
            if now < floor || last < floor {
                canvas.dots(frame(x), from: last + (now > last ? 1 : now < last ? -1 : 0), to: now, tint(x))
            }
            last = now
        }
    }

    /// How many rows of the past fit.
    var pastRows: Int { bodyRows }
    /// The edges of its columns in hertz.
    var spectrogramEdges: [Double] { FrequencyAxis(Self.frequencies, width: columns).edges }

    /// The spectrum over time, the newest at the top.
    ///
    /// - Parameters:
    ///   - past: the levels of each column in dB, the newest first.
    ///   - secondsPerRow: between two of them.
    func spectrogram(_ past: [[Double]], secondsPerRow: Double, _ peak: SpectrumLines.Peak?) -> [String] {
        var canvas = canvas(rows: height)
        for (row, levels) in past.prefix(bodyRows).enumerated() {
            if row % 4 == 0 {
                canvas.text(0, row, alignedRight(fixed(Double(row) * secondsPerRow, 1), 4), .dim)
            }
            for (column, level) in levels.prefix(columns).enumerated() {
                let step = Int(share(level) * 9)
                guard step > 0 else { continue }
                let look = Self.ramp[min(step, Self.ramp.count) - 1]
                canvas.put(
                    Self.margin + column, row, page.hasUnicode ? look.symbol : look.ascii, look.tint)
            }
        }
        frequencyAxis(&canvas, FrequencyAxis(Self.frequencies, width: columns))
        let seconds = Double(bodyRows) * secondsPerRow
        return [header("SPECTROGRAM", Self.words(peak) + ["\(fixed(seconds, 1)) s"])] + canvas.lines(for: page)
    }

    private static let blocks: [UnicodeScalar] = [" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"]
    /// From soft to loud, each for 10 dB.
    private static let ramp: [(symbol: UnicodeScalar, ascii: UnicodeScalar, tint: Page.Tint)] = [
        ("░", ".", .blue), ("░", ".", .blue), ("▒", ":", .blue), ("▒", ":", .cyan), ("▓", "+", .cyan),
        ("▓", "*", .green),
        ("█", "#", .green), ("█", "%", .yellow), ("█", "@", .red),
    ]

    /// Of the height, 0…1.
    private func share(_ decibels: Double) -> Double {
        max(0, min(1, (decibels - Self.levels.lowerBound) / (Self.levels.upperBound - Self.levels.lowerBound)))
    }

    private static func words(_ peak: SpectrumLines.Peak?) -> [String] {
        guard let peak else { return ["silent"] }
        return ["peak \(fixed(peak.hertz, 1)) Hz", "\(fixed(peak.decibels, 1)) dB"]
    }

    private func levelAxis(_ canvas: inout Canvas) {
        let steps = bodyRows >= 9 ? [0, -20, -40, -60, -80] : [0, -30, -60]
        for level in steps {
            let row = min(bodyRows - 1, Int((1 - share(Double(level))) * Double(bodyRows)))
            canvas.text(0, row, alignedRight("\(level)", 4), .dim)
        }
    }

    private func frequencyAxis(_ canvas: inout Canvas, _ axis: FrequencyAxis) {
        guard height > 1 else { return }
        canvas.text(Self.margin, height - 1, axis.labels, .dim)
    }
}

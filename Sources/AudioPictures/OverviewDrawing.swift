import AudioReports

/// Draws the waveform and the spectrogram of a sound, with axes and gaps.
package struct OverviewDrawing {
    private let figures: OverviewFigures
    private let width: Int
    private let height: Int
    private let hasTitle: Bool

    /// Of a picture, in pixels.
    package static let sizes = 200...8192
    /// The levels that a spectrogram shows, in dB.
    package static let levels: ClosedRange<Float> = -100...0
    private static let left = 84
    private static let right = 20
    private static let bottom = 36
    private static let between = 26

    /// - Parameters:
    ///   - width: in pixels.
    ///   - height: likewise.
    ///   - hasTitle: whether the title and the facts stand above it. A page has its own.
    package init(_ figures: OverviewFigures, width: Int, height: Int, hasTitle: Bool = true) {
        self.figures = figures
        self.width = width
        self.height = height
        self.hasTitle = hasTitle
    }

    private static func top(_ hasTitle: Bool) -> Int { hasTitle ? 36 : 12 }

    /// How many columns a picture of a width has.
    package static func columns(width: Int) -> Int { max(1, width - left - right) }

    /// How many rows the spectrogram of a picture has.
    package static func rows(height: Int, hasWaveform: Bool, hasTitle: Bool = true) -> Int {
        let room = max(2, height - top(hasTitle) - bottom)
        return max(1, hasWaveform ? (room - between) * 3 / 5 : room)
    }

    /// What is seen, in words.
    package var description: String {
        let parts = [figures.columns.isEmpty ? nil : "waveform", figures.levels.isEmpty ? nil : "spectrogram"]
        return "\(parts.compactMap(\.self).joined(separator: " and ")) of \(figures.title): \(figures.facts)"
    }

    package func draw(on surface: inout some DrawingSurface) {
        surface.rectangle(0, 0, Double(width), Double(height), .ground)
        if hasTitle {
            let (title, hasFacts) = title(on: surface)
            surface.text(title, Double(Self.left), 22, .start, .ink)
            if hasFacts { surface.text(figures.facts, Double(width - Self.right), 22, .end, .quiet) }
        }
        let room = max(2, height - Self.top(hasTitle) - Self.bottom)
        let rows = Self.rows(height: height, hasWaveform: !figures.columns.isEmpty, hasTitle: hasTitle)
        var y = Double(Self.top(hasTitle))
        if !figures.columns.isEmpty {
            let length = figures.levels.isEmpty ? room : room - Self.between - rows
            waveform(y, Double(length), &surface)
            y += Double(length + Self.between)
        }
        if !figures.levels.isEmpty { spectrogram(y, rows, &surface) }
        time(&surface)
    }

    /// The title as far as there is room for it, and whether there is room for the facts beside it: a third stays the title's.
    private func title(on surface: some DrawingSurface) -> (text: String, hasFacts: Bool) {
        let room = Double(max(0, width - Self.left - Self.right))
        let beside = room - surface.width(of: figures.facts) - 16
        let hasFacts = beside >= min(room / 3, surface.width(of: figures.title))
        let length = hasFacts ? beside : room
        guard surface.width(of: figures.title) > length else { return (figures.title, hasFacts) }
        var title = figures.title
        while !title.isEmpty && surface.width(of: title + "…") > length { title.removeLast() }
        return (title + "…", hasFacts)
    }

    private var across: PlotScale {
        PlotScale(.linear, from: 0, to: figures.seconds, start: Double(Self.left), end: Double(width - Self.right))
    }

    private func waveform(_ y: Double, _ length: Double, _ surface: inout some DrawingSurface) {
        let scale = PlotScale(.linear, from: -1, to: 1, start: y + length, end: y)
        surface.rectangle(Double(Self.left), y, across.end - across.start, length, .panel)
        for value in [-1, -0.5, 0, 0.5, 1.0] {
            surface.rectangle(across.start, scale.position(value) - 0.5, across.end - across.start, 1, .grid)
            surface.text(fixed(value, 1), across.start - 8, scale.position(value) + 5, .end, .quiet)
        }
        for isClipped in [false, true] {
            let columns = figures.columns.enumerated().filter { $1.isClipped == isClipped }.map { index, column in
                (
                    x: across.start + Double(index), top: scale.position(Double(column.highest)),
                    bottom: scale.position(Double(column.lowest))
                )
            }
            surface.columns(columns, isClipped ? .clip : .wave)
        }
        gaps(y, length, &surface)
    }

    private func spectrogram(_ y: Double, _ rows: Int, _ surface: inout some DrawingSurface) {
        let columns = figures.levels.count
        var pixels = [UInt8](repeating: 0, count: 3 * columns * rows)
        for (column, levels) in figures.levels.enumerated() {
            for (row, level) in levels.prefix(rows).enumerated() {
                let color = Self.color(level)
                let place = 3 * ((rows - 1 - row) * columns + column)
                (pixels[place], pixels[place + 1], pixels[place + 2]) = color
            }
        }
        surface.image(across.start, y, pixels, width: columns, height: rows)
        let scale = PlotScale(
            .logarithmic, from: figures.hertz.lowerBound, to: figures.hertz.upperBound, start: y + Double(rows), end: y)
        for hertz in scale.ticks(spacing: 26) {
            let name = hertz >= 1000 ? "\(fixed(hertz / 1000, 0)) kHz" : "\(fixed(hertz, 0)) Hz"
            surface.rectangle(across.start - 5, scale.position(hertz) - 0.5, 5, 1, .quiet)
            surface.text(name, across.start - 8, scale.position(hertz) + 5, .end, .quiet)
        }
        gaps(y, Double(rows), &surface)
    }

    /// Seen even where a gap has no extent, as where nothing fills it. Bands that meet are one: a recording may have more gaps
    /// than a picture has columns.
    private func gaps(_ y: Double, _ length: Double, _ surface: inout some DrawingSurface) {
        var bands: [(start: Double, end: Double)] = []
        for gap in figures.gaps.sorted(by: { $0.lowerBound < $1.lowerBound }) {
            let start = across.position(gap.lowerBound)
            let end = max(start + 2, across.position(gap.upperBound))
            if let last = bands.last, start <= last.end {
                bands[bands.count - 1].end = max(last.end, end)
            } else {
                bands.append((start, end))
            }
        }
        for band in bands { surface.rectangle(band.start, y, band.end - band.start, length, .gap) }
    }

    private func time(_ surface: inout some DrawingSurface) {
        let y = Double(height - Self.bottom)
        for seconds in across.ticks(spacing: min(110, Double(width) / 6)) {
            surface.rectangle(across.position(seconds) - 0.5, y, 1, 6, .quiet)
            let isLast = across.position(seconds) > across.end - 30
            surface.text(
                tickLabel(nanoseconds: seconds * 1e9), isLast ? across.end : across.position(seconds), y + 23,
                isLast ? .end : .middle, .quiet)
        }
    }

    /// From dark to bright: the same on light and dark ground, and with its order kept in grey.
    private static func color(_ level: Float) -> (UInt8, UInt8, UInt8) {
        let stops: [(Float, Float, Float)] = [
            (8, 8, 20), (30, 22, 90), (98, 24, 128), (190, 48, 96), (244, 120, 40), (252, 200, 80), (255, 252, 220),
        ]
        let share = max(0, min(1, (level - levels.lowerBound) / (levels.upperBound - levels.lowerBound)))
        let place = share * Float(stops.count - 1)
        let index = min(stops.count - 2, Int(place))
        let part = place - Float(index)
        let (low, high) = (stops[index], stops[index + 1])
        func mix(_ first: Float, _ second: Float) -> UInt8 { UInt8(first + part * (second - first)) }
        return (mix(low.0, high.0), mix(low.1, high.1), mix(low.2, high.2))
    }
}

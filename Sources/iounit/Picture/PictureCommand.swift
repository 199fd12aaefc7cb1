import AudioFiles
import AudioMeasurement
import AudioMetering
import AudioReports
import Foundation

/// `iounit picture`: draws a sound file.
struct PictureCommand {
    private let options: PictureOptions

    init(_ options: PictureOptions) { self.options = options }

    func run() throws -> ExitCode {
        let reader =
            try options.path == "-"
            ? SoundFileReader(descriptor: STDIN_FILENO, name: "standard input", accepting: .readablePart)
            : SoundFileReader(path: options.path, accepting: .readablePart)
        if !options.replaces, unsafe access(options.output, F_OK) == 0 {
            throw Failure(
                .cannotCreate,
                "cannot write \(shown(options.output)): it exists; choose another name with --output, or add --force")
        }
        // Found out before hours of sound are read.
        let file = try OutputFile(options.output)
        let recording = try options.path == "-" ? nil : RecordingGaps.find(of: options.path)
        let figures = try figures(reader, recording)
        for flaw in reader.flaws { Command.complain("\(shown(options.path)): \(flaw)") }
        try file.write(Array(drawn(figures)))
        try file.finish()
        try Command.print("\(shown(options.output)): \(OverviewDrawing(figures, width: 1, height: 1).description)")
        return .done
    }

    private func figures(_ reader: SoundFileReader, _ recording: RecordingGaps?) throws -> OverviewFigures {
        let rate = Double(reader.sampleRate)
        let hertz = 20...max(100, min(20000, rate / 2))
        let rows = OverviewDrawing.rows(height: options.size.height, hasWaveform: options.hasWaveform)
        let edges = (0...rows).map { 20 * pow(hertz.upperBound / 20, Double($0) / Double(rows)) }
        var overview = SoundOverview(
            columns: OverviewDrawing.columns(width: options.size.width), edges: options.hasSpectrogram ? edges : [],
            sampleRate: reader.sampleRate, channels: reader.channels)
        var block = [Float](repeating: 0, count: 8192 * reader.channels)
        while case let count = try reader.read(8192, into: &block), count > 0 { overview.add(count, of: block) }
        overview.finish()
        guard overview.frames > 0 else {
            throw Failure(.badInput, "\(shown(options.path)) has no sound in it, so there is nothing to draw")
        }
        let gaps = recording?.places(in: options.path) ?? []
        let seconds = Double(overview.frames) / rate
        let channels = reader.channels == 1 ? "1 channel" : "\(reader.channels) channels"
        let missing = recording.map { $0.gaps > 0 ? ", \(counted(UInt64($0.gaps), "gap"))" : "" } ?? ""
        return OverviewFigures(
            title: options.path == "-" ? "standard input" : shown((options.path as NSString).lastPathComponent),
            facts: "\(reader.sampleRate) Hz, \(channels), \(fixed(seconds, 2)) s\(missing)", seconds: seconds,
            columns: options.hasWaveform
                ? overview.columns.map { .init(lowest: $0.lowest, highest: $0.highest, isClipped: $0.isClipped) } : [],
            levels: options.hasSpectrogram ? overview.levels : [], hertz: hertz,
            gaps: gaps.map { gap in
                let start = min(seconds, Double(gap.frame) / rate)
                return start...min(seconds, start + Double(gap.frames) / rate)
            })
    }

    private func drawn(_ figures: OverviewFigures) throws(Failure) -> Data {
        let (width, height) = options.size
        let drawing = OverviewDrawing(figures, width: width, height: height)
        let noMemory = Failure(.inputOutput, "there is no memory for a picture of \(width) x \(height) pixels")
        guard options.isPNG else {
            var surface = VectorSurface(width: width, height: height) { pixels, width, height in
                let data = PNGImage.data(pixels, width: width, height: height) ?? Data()
                return "data:image/png;base64,\(data.base64EncodedString())"
            }
            drawing.draw(on: &surface)
            return Data(surface.svg(says: drawing.description).utf8)
        }
        var surface = RasterSurface(width: width, height: height, isDark: options.isDark)
        drawing.draw(on: &surface)
        guard let data = PNGImage.data(surface.pixels, width: width, height: height) else { throw noMemory }
        return data
    }
}

import AudioFigures
import AudioFiles
import AudioMetering
import AudioPictures
import AudioReports
import CommandSyntax
import Glibc
import TerminalPages
import Threads

/// A sound file that was read from its beginning to its end, for pictures of several sizes.
struct FilePicture {
    private let title: String
    private let reader: SoundFileReader
    private let recording: RecordingGaps?
    private let gaps: [RecordingGaps.Gap]
    private let overviews: [SoundOverview]
    private let hasWaveform: Bool
    private let hasSpectrogram: Bool
    private let hertz: ClosedRange<Double>

    /// - Parameters:
    ///   - path: `-` is the standard input.
    ///   - sizes: of the pictures, each with the rows that its spectrogram has.
    /// - Throws: what cannot be read, and a `Failure` where there is no sound in it. Of a list of gaps that is broken it only
    ///   complains: the sound is there all the same.
    init(
        _ reader: SoundFileReader, path: String, sizes: [(width: Int, rows: Int)], hasWaveform: Bool,
        hasSpectrogram: Bool
    ) throws {
        self.reader = reader
        self.hasWaveform = hasWaveform
        self.hasSpectrogram = hasSpectrogram
        title = path == "-" ? "standard input" : shown(FilePath(path).name)
        var recording: RecordingGaps?
        do throws(FileError) {
            if path != "-" { recording = try RecordingGaps.find(of: path) }
        } catch {
            StandardError.complain(error.description)
        }
        self.recording = recording
        gaps = recording?.places(in: path) ?? []
        let hertz = 20...max(100, min(20000, Double(reader.sampleRate) / 2))
        self.hertz = hertz
        var overviews = sizes.map { width, rows in
            let edges = (0...rows).map { 20 * pow(hertz.upperBound / 20, Double($0) / Double(rows)) }
            return SoundOverview(
                columns: OverviewDrawing.columns(width: width), edges: hasSpectrogram ? edges : [],
                sampleRate: reader.sampleRate, channels: reader.channels, fullScale: reader.fullScale)
        }
        var block = [Float](repeating: 0, count: 8192 * reader.channels)
        while case let count = try reader.read(8192, into: &block), count > 0 {
            for index in overviews.indices { overviews[index].add(count, of: block) }
        }
        for index in overviews.indices { overviews[index].finish() }
        guard overviews.allSatisfy({ $0.frames > 0 }) else {
            throw Failure(.badInput, "\(shown(path)) has no sound in it, so there is nothing to draw")
        }
        self.overviews = overviews
    }

    /// For the picture of that number.
    func figures(_ number: Int) -> OverviewFigures {
        let overview = overviews[number]
        let seconds = seconds
        let missing = recording.map { $0.gaps > 0 ? ", \(counted($0.gaps, "gap"))" : "" } ?? ""
        return OverviewFigures(
            title: title,
            facts: "\(reader.sampleRate) Hz, \(counted(reader.channels, "channel")), \(fixed(seconds, 2)) s\(missing)",
            seconds: seconds,
            columns: hasWaveform ? overview.columns.map { ($0.lowest, $0.highest, $0.isClipped) } : [],
            levels: hasSpectrogram ? overview.levels : [], hertz: hertz,
            gaps: gaps.map { gap in
                let start = min(seconds, Double(gap.frame) / Double(reader.sampleRate))
                return start...min(seconds, start + Double(gap.filledFrames) / Double(reader.sampleRate))
            })
    }

    /// A page with two pictures, for wide and for narrow screens.
    func page() -> SoundPage {
        var facts = [(name: "format", text: reader.formatWords)]
        if let recording { facts.append(("recording", recording.words)) }
        facts += Provenance.current.facts
        return SoundPage(
            wide: figures(0), narrow: figures(1), facts: facts,
            gaps: gaps.map { gap in
                (Double(gap.frame) / Double(reader.sampleRate), Double(gap.lengthNanoseconds) / 1e9, gap.cause)
            }, encode: PNGImage.address)
    }

    private var seconds: Double { Double(overviews[0].frames) / Double(reader.sampleRate) }
}

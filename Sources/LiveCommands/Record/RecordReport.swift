import AudioDSP
import AudioFigures
import AudioFiles
import AudioIO
import AudioRecording
import AudioReports
import TerminalPages

/// What `iounit record` has recorded: the object of `--json`, and the summary for people made from it.
struct RecordReport: LiveReport {
    struct File: Encodable {
        /// As it was named, with its placeholders; `-` is the standard output.
        var path: String
        /// Paths of all files that it became, the first of each where every channel has its own.
        var segments: [String]
        /// Of JACK's transport, the first frame at the server's rate; `null` without `--transport`.
        var transportFrame: Nullable<Int>
        var format: String
        /// In hertz, of the last file.
        var sampleRate: Int
        var frames: UInt64
        /// What they last.
        var seconds: Double
        var bytes: Int
        /// How many times it has begun: more than once with `--repeat`.
        var takes: Int
        /// Frames that found no room on their way to the file, or in it.
        var droppedFrames: UInt64
        /// Places where sound is missing, or was not wanted.
        var gaps: Int
        /// Frames of silence in their stead; among `frames`.
        var filledFrames: UInt64
        /// How long they last, each at the rate of its file.
        var filledNanoseconds: UInt64
        /// Frames that were rendered while the server freewheeled; among `frames`.
        var freewheeledFrames: Int
        /// Samples beyond what the file's integers hold, which were limited.
        var clippedSamples: Int
        /// Why sound of another rate was converted although it was to go to a new file; `null` where it was not.
        var conversionReason: Nullable<String>
        /// Why a file goes on where the next was to begin; `null` where that did not happen.
        var splitRefusal: Nullable<String>
        /// Path of the list of gaps, takes and marks; `null` where there is none.
        var sidecar: Nullable<String>
        /// Why nothing more was written; `null` where all was.
        var error: Nullable<String>

        init(_ recorder: Recorder, _ format: SoundFileFormat) {
            path = recorder.path
            segments = recorder.segments
            transportFrame = Nullable(recorder.transportFrames.first)
            self.format = "\(format)"
            sampleRate = recorder.sampleRate
            frames = recorder.writtenFrames
            seconds = recorder.writtenSeconds
            bytes = recorder.writtenBytes
            takes = recorder.takes
            droppedFrames = recorder.droppedFrames + recorder.lostFrames
            gaps = recorder.gapCount
            filledFrames = recorder.filledFrames
            filledNanoseconds = recorder.filledNanoseconds
            freewheeledFrames = recorder.freewheels.reduce(0) { $0 + $1.frames }
            clippedSamples = recorder.clippedSamples
            conversionReason = Nullable(recorder.conversionReason)
            splitRefusal = Nullable(recorder.splitRefusal)
            sidecar = Nullable(recorder.sidecar)
            error = Nullable(recorder.failure?.description)
        }

        fileprivate var summary: [String] {
            let name = path == "-" ? "standard output" : shown(segments.first ?? path)
            let count = segments.count > 1 ? " and \(segments.count - 1) more" : ""
            guard frames > 0 || !segments.isEmpty else { return ["  \(shown(path)): nothing was recorded"] }
            var line = "  \(name)\(count): \(format), \(sampleRate) Hz, \(fixed(seconds, 3)) s, \(size(bytes))"
            if let frame = transportFrame.value { line += ", from the transport's frame \(frame)" }
            if takes > 1 { line += ", \(takes) takes" }
            if droppedFrames > 0 { line += ", \(droppedFrames) frames DROPPED" }
            if clippedSamples > 0 { line += ", \(clippedSamples) samples clipped" }
            if error.value != nil { line += ", STOPPED" }
            var lines = [line]
            if let sidecar = sidecar.value {
                let silence = Double(filledNanoseconds) / 1e9
                lines.append(
                    "    "
                        + [
                            gaps > 0 ? (gaps == 1 ? "1 gap" : "\(gaps) gaps") : nil,
                            filledFrames > 0
                                ? (silence < 0.1 ? "\(fixed(silence * 1000, 1)) ms" : "\(fixed(silence, 1)) s")
                                    + " of silence filled in" : nil,
                            freewheeledFrames > 0 ? "\(freewheeledFrames) frames while the server freewheeled" : nil,
                            "see \(shown(sidecar))",
                        ].compactMap { $0 }.joined(separator: ", "))
            }
            return lines
        }
    }

    private enum CodingKeys: CodingKey {
        case schema, channels, gainDecibels, files, sent, peakDecibels, clippedSamples, nonFiniteSamples, voice
    }

    var schema = "iounit.record/2"
    var run: RunReport
    var channels: Int
    var gainDecibels: Double
    var files: [File]
    /// `null` where nothing was to be.
    var sent: Nullable<StreamReport>
    /// Of each input; `null` for silence.
    var peakDecibels: [Nullable<Double>]
    /// Samples at or beyond full scale.
    var clippedSamples: UInt64
    /// Samples that came as NaN or infinite, and are silence.
    var nonFiniteSamples: UInt64
    /// `null` where it was off.
    var voice: Nullable<VoiceReport>

    init(_ session: RecordSession) {
        channels = session.options.ear.engine.inputChannels
        let totals = (0..<channels).map { session.run.engine.meters.totals($0) }
        run = RunReport(session.run)
        gainDecibels = session.options.ear.gainDecibels
        files = zip(session.recorders, session.formats).map(File.init)
        sent = Nullable(session.stream.map(StreamReport.init))
        peakDecibels = totals.map { Nullable($0.peak > 0 ? Decibels.decibels(Double($0.peak)) : nil) }
        clippedSamples = totals.reduce(0) { $0 + $1.clipped }
        nonFiniteSamples = session.run.unit.statistics.nonFiniteSamples
        voice = Nullable(session.voice?.report)
    }

    var summary: String {
        let longest = files.map(\.seconds).max() ?? 0
        let peak = peakDecibels.compactMap(\.value).max().map { "\(fixed($0, 1)) dB" } ?? "silent"
        var lines = [
            "recorded \(fixed(longest, 1)) s of \(channels == 1 ? "1 channel" : "\(channels) channels") \(run.place)"
        ]
        lines += files.flatMap(\.summary)
        lines += sent.value?.summary ?? []
        lines.append(
            "  peak \(peak), clipped \(clippedSamples), non-finite \(nonFiniteSamples), \(run.losses)")
        if let voice = voice.value { lines.append(voice.summary) }
        if let absence = run.absence { lines.append(absence) }
        return lines.joined(separator: "\n")
    }
}

import AudioFiles
import AudioReports
import CommandSyntax
import TerminalPages
import Threads

struct InfoOptions: SubcommandOptions {
    static let syntax = Syntax(
        name: "info", summary: "what is in a sound file, and what is broken in it; needs no server",
        groups: [
            optionGroup("Measure", peaks, loudness),
            optionGroup("Output", .json(InfoReport.kind)),
        ],
        notes: """
            FILE may be -, the standard input: WAV, AIFF, AU, FLAC and Ogg can be read from a pipe. Of a recording, the gaps are
            shown too, as FILE.json lists them. Samples count as clipped in runs of 3 and more at full scale.
            What is broken in a file is a WARNING, and the exit code is 0: info describes. convert ends with 65 then, but for
            markers and loops that are left out.
            """,
        operands: "FILE...")

    private static let peaks = Option(
        flag: "peaks", "read all of it: peaks, clipped samples, samples not finite, DC offset")
    private static let loudness = Option(
        flag: "loudness", "read all of it: loudness and its range (EBU R 128), and the true peak")

    var paths: [String]
    var measuresPeaks: Bool
    var measuresLoudness: Bool
    var isJSON: Bool

    init(_ arguments: Arguments) throws(Failure) {
        paths = arguments.operands
        measuresPeaks = arguments.has(Self.peaks)
        measuresLoudness = arguments.has(Self.loudness)
        isJSON = arguments.isJSON
        try arguments.require(!paths.isEmpty, "info needs a file to look at: iounit info FILE...")
        try arguments.require(paths.count { $0 == "-" } <= 1, "the standard input can be read once only")
    }

    /// Shows one file after the other, each as soon as it was looked at.
    func run() throws -> ExitCode {
        var report = InfoReport()
        var firstFailure: ExitCode?
        var hasShown = false
        for path in paths {
            let file: InfoReport.File
            do {
                file = try look(at: path)
            } catch {
                let failure = Failure.from(error)
                StandardError.complain(failure.message)
                firstFailure = firstFailure ?? failure.code
                if isJSON { report.files.append(InfoReport.File(path: path, error: failure.message)) }
                continue
            }
            if isJSON {
                report.files.append(file)
            } else {
                try StandardOutput.print((hasShown ? "\n" : "") + InfoPage(file: file).text)
            }
            hasShown = true
        }
        // Of one file that cannot be read there is no more to say.
        if isJSON && (hasShown || paths.count > 1) { try StandardOutput.print(reportJSON(report)) }
        return firstFailure ?? .done
    }

    private func look(at path: String) throws -> InfoReport.File {
        let reader = try SoundFileReader(operand: path)
        var file = InfoReport.File(path: path, reader)
        if measuresPeaks || measuresLoudness {
            let examination = try examine(reader, path)
            file.note(examination, peaks: measuresPeaks, loudness: measuresLoudness)
        }
        file.note(flaws: reader.flaws)
        guard path != "-" else { return file }
        do throws(FileError) {
            file.recording = try RecordingGaps.find(of: path)
        } catch {
            file.warnings.append(error.description)
        }
        return file
    }

    /// Shows how far it has come, where that takes time.
    private func examine(_ reader: SoundFileReader, _ path: String) throws(SoundFileError) -> FileExamination {
        var line = ProgressLine()
        defer { line.clear() }
        let start = MonotonicClock.nanoseconds()
        var lastSeconds = 0.5
        return try FileExamination(reader) { frames in
            let seconds = Double(MonotonicClock.nanoseconds() - start) / 1e9
            guard seconds - lastSeconds >= 0.1 else { return }
            lastSeconds = seconds
            let total = (reader.frames ?? reader.estimatedFrames).map { " of \(clock(frames: $0, reader.sampleRate))" }
            line.show(
                "\(shown(path)): \(clock(frames: frames, reader.sampleRate))\(total ?? "") read", seconds: seconds)
        }
    }
}

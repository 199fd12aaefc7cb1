import AudioFiles
import AudioReports
import CommandSyntax
import TerminalPages
import Threads

/// `iounit info`: one file after the other, each shown as soon as it was looked at.
struct InfoCommand {
    let options: InfoOptions

    func run() throws -> ExitCode {
        var report = InfoReport()
        var firstFailure: ExitCode?
        var hasShown = false
        for path in options.paths {
            let file: InfoReport.File
            do {
                file = try look(at: path)
            } catch {
                let failure = Failure.from(error)
                StandardError.complain(failure.message)
                firstFailure = firstFailure ?? failure.code
                if options.isJSON { report.files.append(InfoReport.File(path: path, error: failure.message)) }
                continue
            }
            if options.isJSON {
                report.files.append(file)
            } else {
                try StandardOutput.print((hasShown ? "\n" : "") + InfoPage(file: file).text)
            }
            hasShown = true
        }
        if options.isJSON && hasShown { try StandardOutput.print(reportJSON(report)) }
        return firstFailure ?? .done
    }

    private func look(at path: String) throws -> InfoReport.File {
        let reader = try SoundFileReader(operand: path)
        var file = InfoReport.File(path: path, reader)
        if options.measuresPeaks || options.measuresLoudness {
            let examination = try examine(reader, path)
            file.note(examination, peaks: options.measuresPeaks, loudness: options.measuresLoudness)
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

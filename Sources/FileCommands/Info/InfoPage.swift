import AudioFiles
import AudioReports
import TerminalPages

/// A file of the report for people: its path, and a line for each thing that is known.
struct InfoPage {
    let file: InfoReport.File

    private static let indent = 16

    var text: String {
        let rows = about + described + places + [("loudness", loudness)]
        let known = rows.compactMap { label, text in text.map { (label, $0) } }
        let lines = known.flatMap { label, text in
            labelled(
                "  \(label)", text.split(whereSeparator: \.isNewline).map { shown(String($0)) }, indent: Self.indent)
        }
        let path = file.path == "-" ? "standard input" : shown(file.path)
        let warnings = file.warnings.map { padded("  WARNING", Self.indent) + shown($0) }
        return ([path] + warnings + lines + peaks).joined(separator: "\n")
    }

    private var about: [(String, String?)] {
        let kind = file.container.flatMap { container in file.encoding.map { " (\(container) \($0))" } }
        let channels = counted(file.channels ?? 0, "channel")
        return [
            ("format", file.format.map { $0 + (kind ?? "") }),
            ("sound", "\(file.sampleRate ?? 0) Hz, \(channels)"),
            ("length", length), ("size", size),
        ]
    }

    private var length: String {
        let rate = file.sampleRate ?? 0
        if let read = file.readFrames {
            let promised = file.frames.flatMap { $0 == read ? nil : ", of \($0) that the header promises" }
            return "\(clock(frames: read, rate)) (\(counted(read, "frame"))\(promised ?? ""))"
        }
        if let frames = file.frames {
            let source = file.isShorter ? " by its header" : ""
            return "\(clock(frames: frames, rate)) (\(counted(UInt64(clamping: frames), "frame"))\(source))"
        }
        if let frames = file.estimatedFrames {
            return "about \(clock(frames: frames, rate)) (estimated; --peaks counts the frames)"
        }
        return "the header does not know (--peaks counts the frames)"
    }

    private var size: String? {
        guard let bytes = file.bytes else { return nil }
        let rate = file.bitsPerSecond.map { ", \(fixed($0 / 1000, 1)) kbit/s on average" }
        return "\(counted(UInt64(clamping: bytes), "byte"))\(rate ?? "")"
    }

    private var described: [(String, String?)] {
        SoundFileMetadata.Field.allCases.map { ($0.rawValue, file.metadata["\($0)"]) } + broadcast
    }

    private var broadcast: [(String, String?)] {
        guard let broadcast = file.broadcast else { return [] }
        let info = broadcast.info
        func given(_ text: String) -> String? {
            let text = trimmed(text)
            return text.isEmpty ? nil : text
        }
        return [
            ("description", given(info.description)), ("originator", given(info.originator)),
            ("reference", given(info.originatorReference)),
            ("originated", given("\(info.originationDate) \(info.originationTime)")),
            ("time ref.", "\(broadcast.timeReference) (\(info.timeReferenceFrames) frames)"),
        ]
    }

    private var places: [(String, String?)] {
        let loops = file.loops.map { loop in
            let times = loop.repetitions == 0 ? "without end" : "\(loop.repetitions) times"
            return "frames \(loop.startFrame) to \(loop.endFrame), \(loop.direction.rawValue), \(times)"
        }
        return [
            ("markers", file.markers.isEmpty ? nil : "\(file.markers.count) (--json lists them)"),
            ("loops", loops.isEmpty ? nil : loops.joined(separator: "\n")),
            ("gaps", file.recording?.words),
        ]
    }

    private var loudness: String? {
        guard let reading = file.loudness?.reading else { return nil }
        return "\(loudnessText(reading.integratedLUFS)) LUFS integrated, range \(loudnessText(reading.rangeLU)) LU, "
            + "true peak \(loudnessText(reading.truePeakDecibels.max())) dBTP"
    }

    private var peaks: [String] {
        guard let peaks = file.peaks else { return [] }
        let head = "  channel  peak dBFS  true peak dBTP  DC offset  clipped (3 and more in a row at full scale)"
        let rows = peaks.channels.enumerated().map { number, channel in
            let clipped = channel.samples.clippedSamples
            return alignedRight("\(number + 1)", 9)
                + alignedRight(channel.peakDecibels.map { fixed($0, 2) } ?? "silent", 11)
                + alignedRight(channel.truePeakDecibels.map { fixed($0, 2) } ?? "–", 16)
                + alignedRight(fixed(channel.offset, 6), 11) + "  "
                + (clipped == 0 ? "none" : "\(clipped) samples in \(counted(channel.samples.clippedRuns, "run"))")
        }
        let broken = peaks.nonFiniteSamples
        let nonFinite = broken == 0 ? [] : [padded("  not finite", Self.indent) + counted(broken, "sample")]
        return nonFinite + [head] + rows
    }
}

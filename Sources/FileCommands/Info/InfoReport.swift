import AudioDSP
import AudioFigures
import AudioFiles
import AudioReports
import Glibc

/// What `iounit info` has found: the object of `--json`, from which `InfoPage` makes text.
struct InfoReport: ReportDocument {
    var files: [File] = []

    static let kind = document("info", 1, note: "What a file does not have, or was not asked for, is null.")
    static let fields: [ReportField<Self>] = [.group("files", \.files)]
}

extension InfoReport {
    struct File: Reported {
        var path: String
        var error: String?
        var warnings: [String] = []
        var format: String?
        var container: String?
        var encoding: String?
        var sampleRate: Int?
        var channels: Int?
        var frames: Int?
        /// Whether fewer than `frames` are there.
        var isShorter = false
        var estimatedFrames: Int?
        var readFrames: Int?
        var seconds: Double?
        var bytes: Int?
        var bitsPerSecond: Double?
        var metadata: [String: String] = [:]
        var broadcast: Broadcast?
        var markers: [Mark] = []
        var loops: [SoundFileLoop] = []
        var recording: RecordingGaps?
        var peaks: Peaks?
        var loudness: LoudnessReport?

        static let fields: [ReportField<Self>] =
            header + [
                .field("broadcast", "of a Broadcast Wave file (EBU Tech 3285); else null", \.broadcast),
                .group("markers", \.markers),
                .group("loops", \.loops),
                .field("recording", "by the list of gaps beside the file; null where there is none", \.recording),
                .field("peaks", "null without --peaks", \.peaks),
                .field(
                    "loudness", "by EBU R 128; null without --loudness, and where it cannot be measured", \.loudness),
            ]

        private static let header: [ReportField<Self>] = [
            .field("path", "as it was given; - is the standard input", \.path),
            .field("error", "why it cannot be read; then all that follows is empty or null", \.error),
            .field("warnings", "what is broken in it, and what could not be measured", \.warnings),
            .field("format", "in libsndfile's words", \.format),
            .field(
                "container", "wav, rf64, w64, caf, aiff, au, flac, ogg, mp3, raw; null for any other", \.container),
            .field(
                "encoding", "how samples are stored: pcm16, float, vorbis and so on; null with the container",
                \.encoding),
            .field("sampleRate", "of the file", unit: .hertz, \.sampleRate),
            .field("channels", "of the file", \.channels),
            .field("frames", "what the header promises; null where it does not know", unit: .frames, \.frames),
            .field(
                "estimatedFrames", "by the size, where the header does not know", unit: .frames, \.estimatedFrames),
            .field("readFrames", "what there was; null where not all of it was read", unit: .frames, \.readFrames),
            .field(
                "seconds", "its length: by the frames that were read, else by those promised", unit: .seconds,
                \.seconds),
            .field("bytes", "its size; null for a pipe", \.bytes),
            .field("bitsPerSecond", "of the file with its header, on average", unit: .perSecond, \.bitsPerSecond),
            .field(
                "metadata", "texts by the name of their field: title, artist, date, comment and so on", \.metadata),
        ]

        /// One that cannot be read.
        init(path: String, error: String) {
            self.path = path
            self.error = error
        }

        init(path: String, _ reader: SoundFileReader) {
            self.path = path
            format = reader.formatWords
            container = reader.fileFormat?.container.rawValue
            encoding = reader.fileFormat?.encoding.rawValue
            sampleRate = reader.sampleRate
            channels = reader.channels
            frames = reader.frames
            estimatedFrames = reader.estimatedFrames
            bytes = Self.bytes(path)
            let known = reader.metadata
            for field in SoundFileMetadata.Field.allCases where known[field]?.isEmpty == false {
                metadata["\(field)"] = known[field]
            }
            broadcast = known.broadcast.map { Broadcast(info: $0, sampleRate: reader.sampleRate) }
            let places = reader.places
            markers = places.markers.map { Mark(marker: $0, sampleRate: reader.sampleRate) }
            loops = places.loops
            warnings = places.warnings
            measureLength()
        }

        mutating func note(_ examination: FileExamination, peaks wantsPeaks: Bool, loudness wantsLoudness: Bool) {
            readFrames = examination.frames
            if wantsPeaks { peaks = Peaks(examination) }
            if wantsLoudness { loudness = examination.loudness.map(LoudnessReport.init) }
            if let problem = examination.problem { warnings.append(problem) }
            measureLength()
        }

        mutating func note(flaws: [SoundFileFlaw]) {
            warnings = flaws.map(\.description) + warnings
            isShorter = flaws.contains { if case .missingFrames = $0 { true } else { false } }
            // An estimate is by what the header of MP3 promises; in other files missing frames are not counted.
            let isEstimateWrong =
                estimatedFrames != nil && flaws.contains { if case .missingBytes = $0 { true } else { false } }
            // The size is of a part, and the length of the whole.
            if (isShorter || isEstimateWrong) && readFrames == nil { bitsPerSecond = nil }
        }

        /// The frames that were read count more than those that were promised.
        private mutating func measureLength() {
            guard let count = readFrames ?? frames ?? estimatedFrames, let rate = sampleRate
            else { return }
            let length = Double(count) / Double(rate)
            seconds = length
            bitsPerSecond = bytes.flatMap { length > 0 ? Double($0) * 8 / length : nil }
        }

        /// The size of a regular file; `nil` for any other.
        static func bytes(_ path: String) -> Int? {
            var facts = stat()
            let result = path == "-" ? unsafe fstat(STDIN_FILENO, &facts) : unsafe stat(path, &facts)
            return result == 0 && facts.st_mode & S_IFMT == S_IFREG ? Int(facts.st_size) : nil
        }
    }

    struct Broadcast: Reported {
        var info: BroadcastInfo
        var sampleRate: Int

        var timeReference: String { clock(frames: info.timeReferenceFrames, sampleRate) }

        static let fields: [ReportField<Self>] = [
            .field("description", "a text", \.info.description),
            .field("originator", "who made it", \.info.originator),
            .field("originatorReference", "the name that they gave it", \.info.originatorReference),
            .field("originationDate", "yyyy-mm-dd", \.info.originationDate),
            .field("originationTime", "hh:mm:ss", \.info.originationTime),
            .field(
                "timeReferenceFrames",
                "the first frame, counted from midnight, or on the timeline of a DAW or of JACK's transport",
                unit: .frames, \.info.timeReferenceFrames),
            .field("timeReference", "the same, as hh:mm:ss.sss", \.timeReference),
        ]
    }

    struct Mark: Reported {
        var marker: Marker
        var sampleRate: Int

        static let fields: [ReportField<Self>] = [
            .field("frame", "where it is", unit: .frames, \.marker.frame),
            .field("seconds", "the same", unit: .seconds) { Double($0.marker.frame) / Double($0.sampleRate) },
            .field("label", "a text", \.marker.label),
        ]
    }

    struct Peaks: Reported {
        struct Channel: Reported {
            let samples: FileExamination.Channel
            /// Of all of it.
            let frames: Int
            let truePeakDecibels: Double?

            var peakDecibels: Double? { finite(Decibels.decibels(Double(samples.peak))) }
            var offset: Double { samples.mean(of: frames) }

            static let fields: [ReportField<Self>] = [
                .field(
                    "peakDecibels", "of full scale, the greatest sample; null for silence", unit: .decibels,
                    \.peakDecibels),
                .field(
                    "truePeakDecibels",
                    "the same between the samples; null for silence, and where it cannot be measured",
                    unit: .decibels, \.truePeakDecibels),
                .field(
                    "clippedSamples", "at full scale, in runs of 3 and more samples of one sign",
                    \.samples.clippedSamples),
                .field("clippedRuns", "how many such runs there are", \.samples.clippedRuns),
                .field("offset", "the mean of all samples; 1 is full scale", \.offset),
            ]
        }

        var channels: [Channel]
        var nonFiniteSamples: Int

        static let fields: [ReportField<Self>] = [
            .group("channels", \.channels),
            .field("nonFiniteSamples", "of all channels; counted as silence everywhere else", \.nonFiniteSamples),
        ]

        init(_ examination: FileExamination) {
            nonFiniteSamples = examination.nonFiniteSamples
            channels = examination.channels.enumerated().map { number, channel in
                Channel(
                    samples: channel, frames: examination.frames,
                    truePeakDecibels: (examination.loudness?.truePeakDecibels[number]).flatMap(finite))
            }
        }
    }
}

extension SoundFileLoop: Reported {
    package static let fields: [ReportField<Self>] = [
        .field("startFrame", "the first of the loop", unit: .frames, \.startFrame),
        .field("endFrame", "the first after it", unit: .frames, \.endFrame),
        .field("direction", Direction.allCases.map(\.rawValue).listed("or"), \.direction),
        .field("repetitions", "0 for without end", \.repetitions),
    ]
}

/// Hours, minutes, seconds and milliseconds of a number of frames.
package func clock(frames: some BinaryInteger, _ sampleRate: Int) -> String {
    let (frames, rate) = (UInt64(clamping: frames), UInt64(max(1, sampleRate)))
    let (seconds, rest) = frames.quotientAndRemainder(dividingBy: rate)
    let parts = [seconds / 3600, seconds / 60 % 60, seconds % 60].map { zeroPadded($0, 2) }
    return "\(parts.joined(separator: ":")).\(zeroPadded(rest * 1000 / rate, 3))"
}

import AudioDSP
import AudioFigures
import AudioFiles
import AudioMetering
import Glibc
import TerminalPages

/// What `iounit info` has found: the object of `--json`, from which `InfoPage` makes text.
struct InfoReport: Encodable {
    let schema = "iounit.info/1"
    var files: [File] = []
}

extension InfoReport {
    struct File: Encodable {
        /// `-` is the standard input.
        var path: String
        /// Why it cannot be read; then there is nothing else.
        var error = Nullable<String>(nil)
        /// What is broken, and what could not be measured.
        var warnings: [String] = []
        /// In libsndfile's words.
        var format = Nullable<String>(nil)
        /// `null`, as the encoding, for a format that is never written.
        var container = Nullable<String>(nil)
        var encoding = Nullable<String>(nil)
        var sampleRate = Nullable<Int>(nil)
        var channels = Nullable<Int>(nil)
        /// What the header promises; `null` where it does not know.
        var frames = Nullable<Int>(nil)
        var estimatedFrames = Nullable<Int>(nil)
        /// What there was when all of it was read; `null` where it was not.
        var readFrames = Nullable<Int>(nil)
        /// `null` for a pipe.
        var bytes = Nullable<Int>(nil)
        /// By the name of the field.
        var metadata: [String: String] = [:]
        var broadcast = Nullable<Broadcast>(nil)
        var markers: [Mark] = []
        var loops: [Loop] = []
        /// `null` where no list of gaps lies beside the file.
        var recording = Nullable<RecordingGaps>(nil)
        /// `null` without `--peaks`.
        var peaks = Nullable<Peaks>(nil)
        /// `null` without `--loudness`, and where it cannot be measured.
        var loudness = Nullable<Loudness>(nil)
        var seconds = Nullable<Double>(nil)
        /// Of the file with its header, on average.
        var bitsPerSecond = Nullable<Double>(nil)

        /// One that cannot be read.
        init(path: String, error: String) {
            self.path = path
            self.error.value = error
        }

        init(path: String, _ reader: SoundFileReader) {
            self.path = path
            format.value = reader.formatWords
            container.value = reader.fileFormat?.container.rawValue
            encoding.value = reader.fileFormat?.encoding.rawValue
            sampleRate.value = reader.sampleRate
            channels.value = reader.channels
            frames.value = reader.frames
            estimatedFrames.value = reader.estimatedFrames
            bytes.value = Self.bytes(path)
            let known = reader.metadata
            for field in SoundFileMetadata.Field.allCases where known[field]?.isEmpty == false {
                metadata["\(field)"] = known[field]
            }
            broadcast.value = known.broadcast.map { Broadcast($0, reader.sampleRate) }
            let places = reader.places
            markers = places.markers.map { Mark($0, reader.sampleRate) }
            loops = places.loops.map(Loop.init)
            warnings = places.warnings
            measureLength()
        }

        mutating func note(_ examination: FileExamination, peaks wantsPeaks: Bool, loudness wantsLoudness: Bool) {
            readFrames.value = examination.frames
            if wantsPeaks { peaks.value = Peaks(examination) }
            if wantsLoudness { loudness.value = examination.loudness.map(Loudness.init) }
            if let problem = examination.problem { warnings.append(problem) }
            measureLength()
        }

        mutating func note(flaws: [SoundFileFlaw]) {
            warnings = flaws.map(\.description) + warnings
            // The size is of a part, and the length of the whole.
            let isLengthWrong = flaws.contains { if case .missingFrames = $0 { true } else { false } }
            if isLengthWrong && readFrames.value == nil { bitsPerSecond.value = nil }
        }

        /// The frames that were read count more than those that were promised.
        private mutating func measureLength() {
            guard let count = readFrames.value ?? frames.value ?? estimatedFrames.value, let rate = sampleRate.value
            else { return }
            let length = Double(count) / Double(rate)
            seconds.value = length
            bitsPerSecond.value = bytes.value.flatMap { length > 0 ? Double($0) * 8 / length : nil }
        }

        private static func bytes(_ path: String) -> Int? {
            var facts = stat()
            let result = path == "-" ? unsafe fstat(STDIN_FILENO, &facts) : unsafe stat(path, &facts)
            return result == 0 && facts.st_mode & S_IFMT == S_IFREG ? Int(facts.st_size) : nil
        }
    }

    struct Broadcast: Encodable {
        var description: String
        var originator: String
        var originatorReference: String
        var originationDate: String
        var originationTime: String
        /// From midnight.
        var timeReferenceFrames: UInt64
        /// The same as a time of day.
        var timeReference: String

        init(_ info: BroadcastInfo, _ sampleRate: Int) {
            description = info.description
            originator = info.originator
            originatorReference = info.originatorReference
            originationDate = info.originationDate
            originationTime = info.originationTime
            timeReferenceFrames = info.timeReferenceFrames
            timeReference = clock(frames: info.timeReferenceFrames, sampleRate)
        }
    }

    struct Mark: Encodable {
        var frame: Int
        var seconds: Double
        var label: String

        init(_ marker: Marker, _ sampleRate: Int) {
            frame = marker.frame
            seconds = Double(marker.frame) / Double(sampleRate)
            label = marker.label
        }
    }

    struct Loop: Encodable {
        var startFrame: Int
        /// The frame that the loop does not reach.
        var endFrame: Int
        var direction: String
        /// 0 for without end.
        var repetitions: Int

        init(_ loop: SoundFileLoop) {
            startFrame = loop.startFrame
            endFrame = loop.endFrame
            direction = loop.direction.rawValue
            repetitions = loop.repetitions
        }
    }

    struct Peaks: Encodable {
        struct Channel: Encodable {
            /// `null` for silence.
            var peakDecibels: Nullable<Double>
            /// `null` for silence, and where it cannot be measured.
            var truePeakDecibels: Nullable<Double>
            /// Samples in runs of 3 and more at full scale, of one sign.
            var clippedSamples: Int
            var clippedRuns: Int
            /// The mean of all samples; full scale is 1.
            var offset: Double
        }

        var channels: [Channel]
        /// Of all channels: counted as silence everywhere else.
        var nonFiniteSamples: Int

        init(_ examination: FileExamination) {
            nonFiniteSamples = examination.nonFiniteSamples
            channels = examination.channels.enumerated().map { number, channel in
                Channel(
                    peakDecibels: level(Decibels.decibels(Double(channel.peak))),
                    truePeakDecibels: level(examination.loudness?.truePeakDecibels[number] ?? -.infinity),
                    clippedSamples: channel.clippedSamples, clippedRuns: channel.clippedRuns,
                    offset: channel.mean(of: examination.frames))
            }
        }
    }

    struct Loudness: Encodable {
        /// `null`, here and below, for what is softer than −70 LUFS, or too short a sound.
        var integratedLUFS: Nullable<Double>
        var maximumMomentaryLUFS: Nullable<Double>
        var maximumShortTermLUFS: Nullable<Double>
        var rangeLU: Nullable<Double>
        /// Of each channel.
        var truePeakDecibels: [Nullable<Double>]

        init(_ reading: LoudnessReading) {
            integratedLUFS = level(reading.integratedLUFS)
            maximumMomentaryLUFS = level(reading.maximumMomentaryLUFS)
            maximumShortTermLUFS = level(reading.maximumShortTermLUFS)
            rangeLU = Nullable(reading.rangeLU)
            truePeakDecibels = reading.truePeakDecibels.map(level)
        }
    }

    private static func level(_ decibels: Double) -> Nullable<Double> { Nullable(decibels.isFinite ? decibels : nil) }
}

/// Hours, minutes, seconds and milliseconds of a number of frames.
package func clock(frames: some BinaryInteger, _ sampleRate: Int) -> String {
    let (frames, rate) = (UInt64(clamping: frames), UInt64(max(1, sampleRate)))
    let (seconds, rest) = frames.quotientAndRemainder(dividingBy: rate)
    func digits(_ value: UInt64, _ count: Int) -> String {
        String(repeating: "0", count: max(0, count - "\(value)".count)) + "\(value)"
    }
    return "\(digits(seconds / 3600, 2)):\(digits(seconds / 60 % 60, 2)):\(digits(seconds % 60, 2))"
        + ".\(digits(rest * 1000 / rate, 3))"
}

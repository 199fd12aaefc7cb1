import AudioFiles
import Glibc

/// One of a recording's files, or one for each channel, which are written as one; and their peaks.
final class RecordingFile {
    /// Of the file or, where each channel has its own, of all of them.
    let paths: [String]
    let sampleRate: Int
    let channels: Int
    /// At its end.
    private var markers: [Marker] = []
    /// Why the peaks end before the sound does.
    private(set) var peaksFailure: SoundFileError?
    /// The bytes of all its files, after `close`.
    private(set) var closedBytes = 0
    private let writers: [SoundFileWriter]
    private let peaks: [PeaksFile]
    private var plane: PCMBuffer?

    static let operation = "record to"
    /// So many seconds may a pipe's reader take nothing when the recording has ended.
    private static let patienceSeconds = 5.0

    /// - Parameter paths: one, or one for each channel.
    /// - Throws: as `SoundFileWriter`; then none of them is left.
    init(
        _ paths: [String], sampleRate: Int, channels: Int, _ settings: RecordingSettings,
        metadata: SoundFileMetadata, replacing: Bool, patience: Patience
    ) throws(SoundFileError) {
        self.paths = paths
        self.sampleRate = sampleRate
        self.channels = channels
        let width = paths.count > 1 ? 1 : channels
        var writers: [SoundFileWriter] = []
        var peaks: [PeaksFile] = []
        do throws(SoundFileError) {
            for path in paths {
                let waits = { !patience.isOver(after: Self.patienceSeconds) }
                let writer =
                    path == RecordingName.standardOutput
                    ? try SoundFileWriter(
                        descriptor: STDOUT_FILENO, name: RecordingName.standardOutputWords, format: settings.format,
                        sampleRate: sampleRate, channels: width, encoder: settings.encoder, metadata: metadata,
                        operation: Self.operation, waits: waits)
                    : try SoundFileWriter(
                        path: path, format: settings.format, sampleRate: sampleRate, channels: width,
                        encoder: settings.encoder, metadata: metadata, replacing: replacing, operation: Self.operation,
                        waits: waits)
                writers.append(writer)
                guard settings.writesPeaks else { continue }
                peaks.append(
                    try PeaksFile(
                        path: Self.peaksPath(of: path), sampleRate: sampleRate, channels: width, replacing: replacing))
            }
        } catch {
            for writer in writers { writer.discard() }
            for file in peaks { file.discard() }
            throw error
        }
        self.writers = writers
        self.peaks = peaks
    }

    /// Of the peaks beside a file.
    static func peaksPath(of path: String) -> String { "\(path).dat" }

    /// The first, by which it is known.
    var path: String { paths[0] }
    /// Frames that all of them have.
    var position: Int { writers.map(\.position).min() ?? 0 }
    var fileFormat: SoundFileFormat { writers[0].fileFormat }
    /// Of all channels, interleaved.
    var exactFormat: StreamFormat {
        StreamFormat(sampleRate: sampleRate, channels: channels, sampleFormat: writers[0].exactFormat.sampleFormat)
    }
    /// For frames that are as they are to be but for their encoding.
    var floatFormat: StreamFormat { StreamFormat(sampleRate: sampleRate, channels: channels) }
    /// Whether each frame has as many bytes.
    var isOfFixedSize: Bool { fileFormat.isOfFixedSize }
    /// Of the largest, without what the encoder holds back.
    var largestBytes: Int { writers.map(\.bytes).max() ?? 0 }
    /// Of all.
    var bytes: Int { writers.reduce(0) { $0 + $1.bytes } }
    var clippedSamples: Int { writers.reduce(0) { $0 + $1.clippedSamples } }

    /// Says when it begins, before its first frame.
    func set(_ broadcast: BroadcastInfo) {
        for writer in writers { writer.set(broadcast) }
    }

    func mark(_ label: String, at frame: Int) {
        if markers.count < Recording.gapLimit { markers.append(Marker(frame: frame, label: label)) }
    }

    /// Appends frames of a buffer of all channels, interleaved; returns how many all files have taken.
    func append(_ buffer: PCMBuffer, from start: Int, _ frames: Int) -> (written: Int, failure: SoundFileError?) {
        guard writers.count > 1 else {
            let result = writers[0].write(buffer, from: start, frames: frames)
            notePeaks(0, buffer, from: start, result.written)
            return result
        }
        var least = frames
        var failure: SoundFileError?
        for index in writers.indices {
            var plane = self.plane.take() ?? plane(of: buffer, for: frames)
            if plane.capacityFrames < frames || plane.format.sampleFormat != buffer.format.sampleFormat {
                plane = self.plane(of: buffer, for: frames)
            }
            plane.replace(withChannel: index, of: buffer, from: start, frames: frames)
            let result = writers[index].write(plane, from: 0, frames: frames)
            notePeaks(index, plane, from: 0, result.written)
            least = min(least, result.written)
            failure = failure ?? result.failure
            self.plane = plane
        }
        return (least, failure)
    }

    private func plane(of buffer: PCMBuffer, for frames: Int) -> PCMBuffer {
        PCMBuffer(
            StreamFormat(sampleRate: sampleRate, channels: 1, sampleFormat: buffer.format.sampleFormat),
            capacityFrames: frames)
    }

    /// What draws the sound is worth less than the sound: it ends alone.
    private func notePeaks(_ index: Int, _ buffer: PCMBuffer, from start: Int, _ frames: Int) {
        guard index < peaks.count, peaksFailure == nil else { return }
        do throws(SoundFileError) {
            try peaks[index].add(buffer, from: start, frames: frames)
        } catch {
            peaksFailure = error
        }
    }

    /// - Parameter sync: has the finished files written to the disk.
    /// - Throws: `io`, the first of all.
    func close(_ sync: FileSync) throws(SoundFileError) {
        var failure: SoundFileError?
        for file in peaks {
            do throws(SoundFileError) { try file.close() } catch { peaksFailure = peaksFailure ?? error }
        }
        for writer in writers {
            let descriptor = writer.descriptorCopy
            let bytes = writer.bytes
            do throws(SoundFileError) { try writer.close(marking: markers) } catch { failure = failure ?? error }
            closedBytes += descriptor.flatMap(fileSize) ?? max(bytes, writer.closedBytes)
            sync.add(descriptor, path: writer.path)
        }
        if let failure { throw failure }
    }

    /// Removes what nothing is in.
    func discard() {
        for writer in writers { writer.discard() }
        for file in peaks { file.discard() }
    }
}

extension SoundFileError.Kind {
    /// Whether it says that a file cannot be begun, and nothing of one that is being written.
    var isOfNewFile: Bool {
        switch self {
        case .cannotCreate, .exists, .unsupportedFormat: true
        case .noInput, .badInput, .io: false
        }
    }
}

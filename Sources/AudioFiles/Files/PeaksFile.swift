import Glibc
import Threads

/// The largest and smallest sample of each so many frames of a sound file, for editors and pages that draw it: the binary
/// form of the BBC's audiowaveform (version 2, 16 bits), which peaks.js and others read.
///
/// It is whole at any moment, up to the last peak. Thread: any that may block, one at a time.
public final class PeaksFile {
    /// As it was given.
    public let path: String
    /// Of the sound.
    public let channels: Int
    /// How many frames a peak stands for.
    public let framesPerPeak: Int
    /// How many peaks of each channel were written.
    public private(set) var peaks = 0
    private let file: NewFile
    private let operation = "write the peaks to"
    /// Frames in the present peak, and its smallest and largest sample for each channel.
    private var frames = 0
    private var lowest: [Double]
    private var highest: [Double]
    private var samples: [Double] = []
    private var isClosed = false

    /// Creates the file.
    ///
    /// - Parameters:
    ///   - sampleRate: in hertz.
    ///   - framesPerPeak: 2 or more; what is less counts as 2.
    ///   - replacing: whether a regular file of that name is replaced, by the first frame or by `close`.
    /// - Throws: `exists`, `cannotCreate`.
    public init(
        path: String, sampleRate: Int, channels: Int, framesPerPeak: Int = 256, replacing: Bool = false
    ) throws(SoundFileError) {
        self.path = path
        self.channels = max(1, channels)
        self.framesPerPeak = max(2, framesPerPeak)
        lowest = [Double](repeating: .infinity, count: self.channels)
        highest = [Double](repeating: -.infinity, count: self.channels)
        file = try NewFile(path: path, force: replacing, operation: operation)
        // Version, flags (0: 16 bits), rate, frames per peak, peaks, channels.
        let fields: [Int] = [2, 0, sampleRate, self.framesPerPeak, 0, self.channels]
        do throws(SoundFileError) {
            try write(fields.flatMap { MarkerChunks.little(UInt32(clamping: $0)) })
        } catch {
            // Else the end of this object would put it in the place of what it was to replace.
            discard()
            throw error
        }
    }

    deinit { try? close() }

    /// Takes the valid frames of a buffer of as many channels. What is no number counts as silence.
    ///
    /// - Throws: `io`, as where the disk is full.
    public func add(_ buffer: PCMBuffer) throws(SoundFileError) { try add(buffer, from: 0, frames: buffer.frames) }

    /// Takes frames of a buffer from one of them on.
    package func add(_ buffer: PCMBuffer, from start: Int, frames count: Int) throws(SoundFileError) {
        precondition(buffer.format.channels == channels, "a buffer of \(buffer.format.channels) channels")
        guard !isClosed, count > 0 else { return }
        try file.claim()
        if samples.count < count * channels { samples = [Double](repeating: 0, count: count * channels) }
        _ = buffer.decode(count, from: start, into: &samples)
        var bytes: [UInt8] = []
        for frame in 0..<count {
            for channel in 0..<channels {
                let sample = samples[frame * channels + channel]
                if sample < lowest[channel] { lowest[channel] = sample }
                if sample > highest[channel] { highest[channel] = sample }
            }
            frames += 1
            if frames == framesPerPeak { bytes += takePeak() }
        }
        try append(bytes)
    }

    /// Writes the last peak, of the frames that are left. Calling it again does nothing.
    public func close() throws(SoundFileError) {
        guard !isClosed else { return }
        isClosed = true
        do throws(SoundFileError) {
            try file.claim()
        } catch {
            // The draft that it still is.
            file.remove()
            file.close()
            throw error
        }
        do throws(SoundFileError) {
            if frames > 0 { try append(takePeak()) }
        } catch {
            file.close()
            throw error
        }
        // Some disks tell only now that they are full.
        if !file.close() { throw failure(errno) }
    }

    /// Removes the file, and closes it.
    public func discard() {
        guard !isClosed else { return }
        isClosed = true
        file.remove()
        file.close()
    }

    private func takePeak() -> [UInt8] {
        func bytes(_ sample: Double) -> [UInt8] {
            MarkerChunks.little(UInt16(bitPattern: Int16((max(-1, min(sample, 1)) * 32767).rounded())))
        }
        let peak = (0..<channels).flatMap { bytes(lowest[$0]) + bytes(highest[$0]) }
        for channel in 0..<channels { (lowest[channel], highest[channel]) = (.infinity, -.infinity) }
        frames = 0
        return peak
    }

    private func append(_ bytes: [UInt8]) throws(SoundFileError) {
        guard !bytes.isEmpty else { return }
        try write(bytes)
        peaks += bytes.count / (4 * channels)
        // Behind what it counts, so that it never counts what is not there.
        try write(MarkerChunks.little(UInt32(clamping: peaks)), at: 16)
    }

    /// - Parameter place: in the file; `nil` for behind what was written last.
    private func write(_ bytes: [UInt8], at place: Int? = nil) throws(SoundFileError) {
        if WholeWrite.write(bytes, to: file.descriptor, at: place) { return }
        throw failure(errno)
    }

    private func failure(_ code: CInt) -> SoundFileError {
        SoundFileError(.io, operation, path, "it cannot be written (\(FileError.words(code))); is the disk full?")
    }
}

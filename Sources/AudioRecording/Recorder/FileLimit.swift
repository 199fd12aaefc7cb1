import AudioFiles

/// Where a recording's next file begins.
struct FileLimit {
    private let split: RecordingSplit?
    private let overlapSeconds: Double
    /// Of the recording's frames, the one with which the present file is full, or at which the next is to be tried again.
    private(set) var frame = Int.max
    /// Where the part began in which files are of one length, and how many of them there are.
    private var base = 0
    private var parts = 0

    /// - Parameter isOneFile: whatever the settings say.
    init(_ settings: RecordingSettings, isOneFile: Bool) {
        overlapSeconds = settings.overlapSeconds
        // Within what can be counted on with, here and below.
        if case .bytes(let bytes) = settings.split, !isOneFile {
            split = .bytes(max(0, min(bytes, 1 << 60)))
        } else {
            split = isOneFile ? nil : settings.split
        }
    }

    /// From a frame of the recording on files are as long as they are to be.
    mutating func restart(at frame: Int, _ file: RecordingFile?) {
        base = frame
        parts = 0
        advance(behind: frame, file)
    }

    /// Goes on to the next of such places behind a frame of the recording.
    mutating func advance(behind frames: Int, _ file: RecordingFile?) {
        frame = .max
        guard let file else { return }
        switch split {
        case nil: break
        case .seconds(let seconds):
            // Not by adding one length again and again, which adds up rounding errors. If a request ended the file early, the place
            // at which it would have ended is still to come.
            if parts > 0 { parts -= 1 }
            repeat {
                parts += 1
                frame = base + max(parts, frameCount(of: Double(parts) * seconds, at: file.sampleRate))
            } while frame <= frames
        case .bytes(let bytes):
            if file.isOfFixedSize { frame = frames + max(1, room(bytes, file) - overlap(of: file)) }
        }
    }

    /// For how many frames a file goes on after the next has begun: where each frame has as many bytes, for half of those that a
    /// size has room for at the most, so that no more than two files are written at a time.
    func overlap(of file: RecordingFile) -> Int {
        let frames = frameCount(of: overlapSeconds, at: file.sampleRate)
        guard case .bytes(let bytes) = split, file.isOfFixedSize else { return frames }
        return max(0, min(frames, room(bytes, file) / 2))
    }

    /// In frames, of a file of which each frame has as many bytes.
    private func room(_ bytes: Int, _ file: RecordingFile) -> Int {
        let header = 8192
        return (bytes - header) / (file.exactFormat.bytesPerFrame / (file.paths.count > 1 ? file.channels : 1))
    }

    /// Whether a file that goes on after the next has begun is as large as it may be, where only its bytes tell.
    func isFull(_ file: RecordingFile) -> Bool {
        guard case .bytes(let bytes) = split, !file.isOfFixedSize else { return false }
        return file.largestBytes >= Self.most(bytes)
    }

    /// Less what the encoder holds back.
    private static func most(_ bytes: Int) -> Int { bytes - 65536 }

    /// Has the next file begin with a frame of the recording that has not come yet, unless it begins before.
    mutating func lower(to other: Int) { frame = min(frame, other) }

    /// Has the next file begin behind a frame of the recording, where only its bytes tell that the present one is full.
    mutating func lower(to frames: Int, where file: RecordingFile) {
        guard case .bytes(let bytes) = split, !file.isOfFixedSize else { return }
        let most = Self.most(bytes)
        // By what its frames have taken so far, and half of it at the most, as in `overlap`.
        let rest = Double(overlap(of: file)) * Double(file.largestBytes) / Double(max(1, file.position))
        if file.largestBytes >= most - Int(max(0, min(rest, Double(most) / 2))) { frame = frames }
    }
}

import AudioFiles

/// Where a recording's next file begins.
struct FileLimit {
    private let split: RecordingSplit?
    /// Of the recording's frames, the one with which the present file is full, or at which the next is to be tried again.
    private(set) var frame = Int.max
    /// Where the part began in which files are of one length, and how many of them there are.
    private var base = 0
    private var parts = 0

    /// - Parameter split: `nil` for one file.
    init(_ split: RecordingSplit?) {
        // Within what can be counted on with, here and below.
        if case .bytes(let bytes) = split {
            self.split = .bytes(max(0, min(bytes, 1 << 60)))
        } else {
            self.split = split
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
            let header = 8192
            guard file.isOfFixedSize else { return }
            let width = file.exactFormat.bytesPerFrame / (file.paths.count > 1 ? file.channels : 1)
            frame = frames + max(1, (bytes - header) / width)
        }
    }

    /// Has the next file begin with a frame of the recording that has not come yet, unless it begins before.
    mutating func lower(to other: Int) { frame = min(frame, other) }

    /// Has the next file begin behind a frame of the recording, where only its bytes tell that the present one is full.
    mutating func lower(to frames: Int, where file: RecordingFile) {
        if case .bytes(let bytes) = split, !file.isOfFixedSize, file.largestBytes >= bytes - 65536 { frame = frames }
    }
}

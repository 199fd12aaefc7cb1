import AudioFiles
import AudioRealtime

/// Blocks that follow each other, to be written in one piece: each write brings the file's header up to date, which would cost
/// more than the rest for the shortest periods.
struct RecordingBatch {
    /// From here on it is long enough to be written.
    private static let fullFrames = 4096

    /// All of it, told of as one block; `nil` where there is nothing to be written.
    private(set) var block: TapBlock?
    /// Its samples: what is not converted goes from here to the file.
    private(set) var sound: PCMBuffer

    /// - Parameter channels: of what comes.
    init(channels: Int) {
        // The first block tells the rate.
        sound = PCMBuffer(StreamFormat(sampleRate: 0, channels: channels), capacityFrames: 0)
    }

    var isFull: Bool { sound.frames >= Self.fullFrames }

    /// Takes a block in behind the others; returns `false`, having done nothing, where those have to be written first.
    mutating func join(_ next: RecordedBlock) -> Bool {
        if let block {
            guard next.block.runNumber == block.runNumber, next.block.isFreewheeling == block.isFreewheeling,
                next.frames <= sound.capacityFrames - sound.frames
            else { return false }
            self.block?.frames += next.block.frames
        } else {
            makeRoom(for: next)
            block = next.block
        }
        sound.append(next.valid)
        return true
    }

    private mutating func makeRoom(for next: RecordedBlock) {
        let format = StreamFormat(sampleRate: next.sampleRate, channels: sound.format.channels)
        guard sound.format != format || sound.capacityFrames < next.frames else { return }
        sound = PCMBuffer(format, capacityFrames: max(next.frames, Self.fullFrames + PlanRunner.maximumFrames))
    }

    /// It was written.
    mutating func clear() {
        block = nil
        sound.frames = 0
    }
}

/// What has become of a stream that is received.
///
/// Of packets: `receivedPackets` are `playedPackets`, `latePackets`, `duplicatePackets`, `damagedPackets`, `droppedPackets` and those
/// that wait. Every number that was passed is one of played, late, damaged, dropped or lost. Of frames: what the sound card was given is the sum of
/// `playedFrames`, `concealedFrames`, `silentFrames` and `gapFrames`.
public struct ReceiverFigures: Sendable, Equatable {
    /// How it is with the sender.
    public enum State: String, Sendable {
        /// It has not been reached, or nothing has come yet, or not again.
        case waiting
        /// Packets come.
        case receiving
        /// It was a file, which was played to its end.
        case ended
        /// It was given up: `failure` says why.
        case failed
    }

    /// How it is with the sender at present.
    public var state = State.waiting
    /// The codec of the last stream, and its rate in hertz and its channels; `nil` before the first. Of MP3 what it was decoded
    /// to: `float`.
    public var opening: StreamOpening?
    /// In which form the last stream came; `nil` where packets came by themselves.
    public var container: StreamContainer?
    /// How many streams began: more than one where the sender left and came back.
    public var streams = 0
    /// Packets that came, duplicates too.
    public var receivedPackets = 0
    /// Packets that were in time.
    public var playedPackets = 0
    /// Packets that came after their time.
    public var latePackets = 0
    /// Packets that never came.
    public var lostPackets = 0
    /// Packets that had come before.
    public var duplicatePackets = 0
    /// Packets that another one had overtaken, in time or not.
    public var reorderedPackets = 0
    /// Packets that could not be decoded. Of a stream that has the form of a file also those that were damaged on the way or are
    /// missing, as their numbers or its length say: at most 16 in one place.
    public var damagedPackets = 0
    /// Packets that were dropped here before their time, because more waited than memory is kept for: 64 MiB or 32 768 packets of a
    /// stream, 16 MiB of the next one.
    public var droppedPackets = 0
    /// Of RTP: packets that came and were none of the stream's, as those of another payload or of a second sender, and single ones
    /// whose number or time stamp is far from those before. They are not among the others.
    public var ignoredPackets = 0
    /// Of the lost ones, those of which the sender said that it dropped them.
    public var droppedBySender = 0
    /// Frames that were decoded, at the stream's rate.
    public var playedFrames = 0
    /// Frames that the codec made up for, from what came before, or from the copy that the next packet had.
    public var concealedFrames = 0
    /// Frames of silence, where nothing helped.
    public var silentFrames = 0
    /// Frames of silence of which the sender had no sound.
    public var gapFrames = 0
    /// Frames that this machine was too slow to hand over in time.
    public var underrunFrames = 0
    /// How often the sound jumped while it was heard: after lost time of the server, or for a buffer that had to grow at once.
    public var jumps = 0
    /// By how much the sender's clock is faster than the sound card's, in millionths; `nil` in the first second.
    public var driftPartsPerMillion: Double?
    /// What the buffer holds against late packets, in seconds; `nil` before the first packet.
    public var bufferSeconds: Double?
    /// From the arrival of a packet to its first frame's being handed to the sound card, in seconds: the buffer, a period and
    /// the resampler.
    public var delaySeconds: Double?
    /// From the sender's rendering of a frame to its being handed to the sound card here, by both wall clocks, in seconds.
    /// Right where both are one machine, or their clocks agree. `nil` where the sender says no time.
    public var latencySeconds: Double?
    /// Why the sender was not reached, or left, the last time that this happened; or why a server that came back at a lower rate
    /// does not play the stream.
    public var failure: StreamError?

    /// The name of the last stream's codec, as it came; `nil` before the first.
    public var codecName: String? {
        if let container, container.isDecoded { return container.name }
        return opening?.codec.name
    }
}

extension ReceiverFigures {
    /// The sums of both; figures that are no sums come from the later one.
    func adding(_ later: ReceiverFigures) -> ReceiverFigures {
        let sums: [WritableKeyPath<ReceiverFigures, Int>] = [
            \.streams, \.receivedPackets, \.playedPackets, \.latePackets, \.lostPackets, \.duplicatePackets,
            \.reorderedPackets, \.droppedPackets, \.damagedPackets, \.droppedBySender, \.playedFrames,
            \.concealedFrames, \.silentFrames, \.gapFrames, \.underrunFrames, \.jumps,
        ]
        return sums.reduce(into: later) { $0[keyPath: $1] += self[keyPath: $1] }
    }
}

/// What a receiver may choose.
public struct ReceiverSettings: Sendable, Hashable {
    /// What the buffer holds against late packets, in milliseconds, 0…5000; `nil` to find it from what is measured. What lies
    /// outside is moved to the nearest end.
    public var bufferMilliseconds: Double? { didSet { bufferMilliseconds = Self.permitted(bufferMilliseconds) } }

    /// - Parameter bufferMilliseconds: see there.
    public init(bufferMilliseconds: Double? = nil) {
        self.bufferMilliseconds = Self.permitted(bufferMilliseconds)
    }

    private static func permitted(_ milliseconds: Double?) -> Double? { milliseconds.map { max(0, min($0, 5000)) } }
}

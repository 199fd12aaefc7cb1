import AudioDSP
import AudioRealtime
import AudioRecording
import TestSupport
import Testing

/// Stands in for the audio thread: writes a numbered sound into a recorder's tap.
struct TapFeed: ~Copyable {
    private var writer: TapWriter
    private let channels: Int
    private(set) var frames = 0

    /// Starts the recorder upon a tap of this capacity in frames.
    static func start(_ recorder: Recorder, channels: Int, capacity: Int) throws -> TapFeed {
        let tap = Tap(channels: channels, capacity: capacity)
        try recorder.start(tap.reader)
        return TapFeed(writer: tap.writer, channels: channels)
    }

    private init(writer: consuming TapWriter, channels: Int) {
        self.writer = writer
        self.channels = channels
    }

    /// Whether another block would find room.
    mutating func hasRoom(for count: Int) -> Bool { writer.hasRoom(for: count) }

    /// One block, amplified by `gain`; returns how many frames were dropped.
    @discardableResult
    mutating func feed(_ count: Int, gain: Float = 1) -> Int {
        let dropped = writer.begin(frames: count)
        for channel in 0..<channels {
            var plane = (0..<count).map { gain * Sound.numberedSample((frames + $0) * channels + channel) }
            plane.withUnsafeMutableBufferPointer { plane in
                if let base = plane.baseAddress {
                    writer.write(unsafe Samples(base, count: count), channel: channel)
                }
            }
        }
        writer.end(frames: count)
        frames += count
        return dropped
    }

    /// Block after block, each as soon as there is room, so that none is dropped.
    mutating func feedAll(_ total: Int, block: Int = 480, gain: Float = 1) throws {
        while frames < total {
            let count = min(block, total - frames)
            while !hasRoom(for: count) { try waitUntil("the recorder to make room") { hasRoom(for: count) } }
            feed(count, gain: gain)
        }
    }
}

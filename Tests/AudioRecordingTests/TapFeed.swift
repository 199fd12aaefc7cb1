import AudioDSP
import AudioRealtime
import AudioRecording
import TestSupport
import Testing
import Threads

/// Stands in for the audio thread: writes a numbered sound into a recorder's tap, on a clock of its own.
struct TapFeed: ~Copyable {
    private let writer: Cell<TapWriter>
    private let channels: Int
    /// Frames that were fed, dropped ones too.
    private(set) var frames = 0
    /// Of the next block.
    private(set) var block: TapBlock
    /// When the next block is due.
    private(set) var dueNanoseconds: Double

    /// Starts the recorder upon a tap of this capacity in frames.
    static func start(
        _ recorder: Recorder, channels: Int, capacity: Int, sampleRate: Int = 48000
    ) throws -> TapFeed {
        let tap = Tap(channels: channels, capacity: capacity)
        try recorder.start(tap.reader(capacity: capacity))
        return TapFeed(writer: tap.writer, channels: channels, sampleRate: sampleRate)
    }

    private init(writer: Cell<TapWriter>, channels: Int, sampleRate: Int) {
        self.writer = writer
        self.channels = channels
        block = TapBlock(run: TapRun(sampleRate: sampleRate))
        dueNanoseconds = Double(MonotonicClock.nanoseconds())
    }

    /// Whether another block would find room.
    mutating func hasRoom(for count: Int) -> Bool { writer.pointer.pointee.hasRoom(for: count, blocks: 1) }

    /// One block, amplified by `gain`; returns how many frames were dropped.
    @discardableResult
    mutating func feed(_ count: Int, gain: Float = 1) -> Int {
        feed(count) { gain * Sound.numberedSample($0) }
    }

    /// One block of one channel.
    mutating func feed(_ samples: [Float]) {
        let start = frames
        feed(samples.count) { samples[$0 - start] }
    }

    @discardableResult
    private mutating func feed(_ count: Int, _ sample: (Int) -> Float) -> Int {
        block.frames = UInt32(count)
        block.entryNanoseconds = UInt64(dueNanoseconds)
        let planes = Planes(channels: channels, capacity: max(1, count))
        for channel in 0..<channels {
            let plane = planes.run(channel, count: count)
            for index in 0..<count { plane[index] = sample((frames + index) * channels + channel) }
        }
        let dropped = writer.pointer.pointee.write(block, planes, planes.all) ? 0 : count
        frames += count
        pass(count)
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

    /// So many frames more.
    mutating func feedMore(_ count: Int, block: Int = 480) throws { try feedAll(frames + count, block: block) }

    /// So many frames find no room.
    mutating func drop(_ count: Int) { pass(count) }

    /// So many frames go to no tap because of a pause.
    mutating func pause(_ count: Int) {
        block.pausedFrames += UInt64(count)
        pass(count)
    }

    /// The server freewheels from now on, or no longer.
    mutating func setFreewheel(_ isOn: Bool) { block.isFreewheeling = isOn }

    /// The server stops for a time. In sync mode its frame clock stops too; in async mode it goes on.
    mutating func stall(nanoseconds: Double, skippedFrames: Int = 0) {
        dueNanoseconds += nanoseconds
        block.frameTime &+= UInt32(skippedFrames)
        block.transport = block.transport?.advanced(by: skippedFrames)
    }

    /// JACK's transport rolls from this frame on.
    mutating func roll(from frame: UInt32) { block.transport = TapTransport(frame: frame, isRolling: true) }

    /// The unit is stopped, and started again after a time.
    mutating func begin(_ run: TapRun, after nanoseconds: Double) {
        block.run = run
        block.runNumber += 1
        block.frameTime = 77
        dueNanoseconds += nanoseconds
    }

    private mutating func pass(_ count: Int) {
        block.position += UInt64(count)
        block.frameTime &+= UInt32(count)
        block.transport = block.transport?.advanced(by: count)
        dueNanoseconds += Double(count) / Double(block.run.sampleRate) * 1e9
    }
}

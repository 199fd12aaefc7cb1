import AudioIO
import AudioRealtime
import Synchronization
import Threads

/// Reads a tap from the first frame on, on a thread of its own, and keeps what fits.
final class TapContent: Sendable {
    private let content: Content
    private let worker: Worker

    private final class Content: Sendable {
        let channels: Mutex<[[Float]]>
        let isStopping = Atomic(false)
        let dropped = Atomic<UInt64>(0)

        init(channels: Int) { self.channels = Mutex(Array(repeating: [], count: channels)) }
    }

    /// - Parameter limit: frames to keep; what comes after them is read and forgotten.
    init(_ tap: consuming TapReader, limit: Int = 1 << 20) throws {
        let content = Content(channels: tap.channels)
        self.content = content
        let reader = Mutex(tap)
        worker = try Worker("test-tap") {
            reader.withLock { reader in
                var buffer: [Float] = []
                while true {
                    // In this order: what was written before the stop is read.
                    let isLast = content.isStopping.load(ordering: .acquiring)
                    let frames = reader.read(interleavedInto: &buffer, capacity: 8192)
                    content.channels.withLock { channels in
                        let kept = min(frames, limit - channels[0].count)
                        for channel in channels.indices {
                            for frame in 0..<kept { channels[channel].append(buffer[frame * channels.count + channel]) }
                        }
                    }
                    content.dropped.store(reader.droppedFrames, ordering: .relaxed)
                    if frames == 0 && isLast { return }
                    if frames == 0 { MonotonicClock.sleep(milliseconds: 1) }
                }
            }
        }
    }

    /// Frames kept so far.
    var count: Int { content.channels.withLock { $0[0].count } }

    /// The last sample of the first channel so far.
    var last: Float? { content.channels.withLock { $0[0].last } }

    /// Frames that found no room.
    var droppedFrames: UInt64 { content.dropped.load(ordering: .relaxed) }

    /// Reads what is left, and ends. The unit must be stopped, or the limit reached.
    func finish() -> [[Float]] {
        content.isStopping.store(true, ordering: .releasing)
        worker.join()
        return content.channels.withLock { $0 }
    }
}

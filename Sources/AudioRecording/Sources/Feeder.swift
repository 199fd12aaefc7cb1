import AudioDSP
import AudioRealtime
import Synchronization
import Threads

/// The worker's part of a player: keeps the ring full.
///
/// The ring is written by this thread and read by the audio thread. When it is full, the worker waits; when it is
/// empty, the audio thread plays silence and counts it.
package final class Feeder: Sendable {
    /// Read and handed over at once.
    package static let blockFrames = 1024
    private static let wakeNanoseconds: UInt64 = 5_000_000

    fileprivate struct Work: ~Copyable {
        var signal: any Signal
        var producer: FrameProducer
        var block: [Float]
        var plane = [Float](repeating: 0, count: Feeder.blockFrames)
        var writtenFrames = 0
        var isAtEnd = false
    }

    private let work: Mutex<Work>
    private let state: Cell<FeedState>
    private let isStopping = Atomic<Bool>(false)
    private let failed = Mutex<RecordingError?>(nil)

    package init(_ signal: sending any Signal, producer: consuming sending FrameProducer, state: Cell<FeedState>) {
        let block = [Float](repeating: 0, count: Self.blockFrames * signal.channels)
        work = Mutex(Work(signal: signal, producer: producer, block: block))
        self.state = state
    }

    /// Why the source ended before its end.
    package var failure: RecordingError? { failed.withLock { $0 } }

    /// Fills the ring on an absolute timer until the source ends or `stop` is called. Thread: worker.
    package func run() {
        var wake = MonotonicClock.nanoseconds()
        while !isStopping.load(ordering: .relaxed) && fill() {
            // After a late wake-up the timer starts anew: the ring is full, there is nothing to make up for.
            wake = max(wake + Self.wakeNanoseconds, MonotonicClock.nanoseconds())
            MonotonicClock.sleep(until: wake)
        }
    }

    package func stop() { isStopping.store(true, ordering: .relaxed) }

    /// Fills the ring once; returns whether there is more to come. Thread: control or worker.
    @discardableResult
    package func fill() -> Bool {
        work.withLock { work in
            while !work.isAtEnd && !isStopping.load(ordering: .relaxed)
                && work.producer.hasRoom(for: Self.blockFrames)
            {
                do throws(RecordingError) {
                    try work.forwardBlock()
                } catch {
                    failed.withLock { $0 = error }
                    work.isAtEnd = true
                }
                // SAFETY: the cell keeps the state. After the last frames, so that who sees the total can read them.
                if work.isAtEnd {
                    unsafe state.pointer.pointee.totalFrames.store(work.writtenFrames, ordering: .releasing)
                }
            }
            return !work.isAtEnd
        }
    }
}

extension Feeder.Work {
    /// Moves a block of the signal to the ring, which has room for it.
    fileprivate mutating func forwardBlock() throws(RecordingError) {
        let frames = try signal.read(Feeder.blockFrames, into: &block)
        guard frames > 0 else {
            isAtEnd = true
            return
        }
        let channels = signal.channels
        for channel in 0..<channels {
            for frame in 0..<frames { plane[frame] = block[frame * channels + channel] }
            unsafe plane.withUnsafeMutableBufferPointer { plane in
                // SAFETY: it holds a whole block, and `frames` is no more.
                guard let base = plane.baseAddress else { return }
                producer.write(unsafe Samples(base, count: frames), channel: channel)
            }
        }
        producer.publish(frames)
        writtenFrames += frames
    }
}

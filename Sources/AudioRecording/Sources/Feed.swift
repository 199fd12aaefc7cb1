import AudioRealtime
import Jack
import Threads

/// A source on its way to the audio thread at one sample rate: the ring, the worker that fills it, and what empties it.
final class Feed: Sendable {
    /// In hertz.
    let sampleRate: Int
    let state = Cell(FeedState())
    /// Freed after the client was closed: the audio thread uses it until then.
    let process: Cell<FeedProcess>
    private let feeder: Feeder
    private let worker: Worker

    /// Opens the source and fills the ring: one second of sound is there before anything is played.
    ///
    /// - Parameter seconds: what was heard of it already.
    /// - Throws: `RecordingError` where the file was changed since the source was made; `JackError` without a thread.
    init(_ source: Source, sampleRate: Int, from seconds: Double = 0) throws {
        self.sampleRate = sampleRate
        let signal = try source.open(sampleRate: sampleRate, channels: source.ports, from: seconds)
        let ring = FrameRing(channels: source.ports, capacity: Self.ringFrames(sampleRate: sampleRate))
        let feeder = Feeder(signal, producer: ring.producer, state: state)
        process = Cell(FeedProcess(consumer: ring.consumer, sampleRate: sampleRate, state: state))
        feeder.fill()
        worker = try Worker.start("iounit-source") { feeder.run() }
        self.feeder = feeder
    }

    /// One second, and at least four times the longest period of JACK.
    static func ringFrames(sampleRate: Int) -> Int { max(sampleRate, 4 * 8192) }

    /// Ends the worker and closes the file. Thread: control, while no client plays it.
    func stop() {
        feeder.stop()
        worker.join()
    }

    deinit { stop() }

    /// Why the source ended before its end.
    var failure: RecordingError? { feeder.failure }
    // SAFETY: here and below, the cell keeps the state.
    var playedFrames: Int { unsafe state.pointer.pointee.playedFrames.load(ordering: .relaxed) }
    var cycles: UInt64 { unsafe state.pointer.pointee.cycles.load(ordering: .relaxed) }
    var underrunFrames: Int { unsafe state.pointer.pointee.underrunFrames.load(ordering: .relaxed) }
    /// JACK's frame clock at the first frame that was played; `nil` before.
    var startFrameTime: UInt32? {
        Self.frameTime(unsafe state.pointer.pointee.startFrameTime.load(ordering: .acquiring))
    }
    /// JACK's frame clock after the last frame; `nil` before.
    var endFrameTime: UInt32? { Self.frameTime(unsafe state.pointer.pointee.endFrameTime.load(ordering: .acquiring)) }

    /// From the next cycle on the source is heard, or is not.
    func roll(_ isRolling: Bool) { unsafe state.pointer.pointee.isStarted.store(isRolling, ordering: .releasing) }

    private static func frameTime(_ stored: Int) -> UInt32? {
        stored < 0 ? nil : UInt32(truncatingIfNeeded: stored)
    }
}

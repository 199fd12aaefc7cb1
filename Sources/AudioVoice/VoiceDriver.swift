import AudioIO
import AudioRealtime
import Jack
import Synchronization
import Threads

/// The control side of a node that processes voices: its worker, and what is known of it.
final class VoiceDriver: NodeDriver {
    /// How often the worker looks whether there is something to do.
    private static let paceNanoseconds: UInt64 = 2_000_000
    /// How much may wait on each way, in frames: half a second at 192 kHz.
    private static let capacityFrames = 1 << 17

    private let engine: VoiceEngine
    private let options: VoiceOptions
    private let state = Mutex(State())
    /// Held while the worker works off one block.
    private let work = Mutex(Work())
    private let isEnding = Atomic<Bool>(false)
    private let sampleRate = Atomic<Int>(48_000)

    private struct Work: ~Copyable {
        var work: VoiceWork?
        /// The far end, where the node is not attached yet.
        var far: FarFeed?
    }

    private struct State {
        var worker: TimerWorker?
        var report = Cell(DetourReport())
        /// Takes the tap on the far end away.
        var removeFar: (@Sendable () -> Void)?
        var listener: (@Sendable (VoiceFigures, VoiceFigures) -> Void)?
        var told = VoiceFigures()
    }

    init(_ engine: VoiceEngine, _ options: VoiceOptions) {
        self.engine = engine
        self.options = options
    }

    // What the node asks for.

    var figures: VoiceFigures {
        var figures = work.withLock { $0.work?.figures } ?? VoiceFigures()
        let report = state.withLock { $0.report }
        // SAFETY: the cell is kept, and the read is atomic.
        figures.underrunFrames = unsafe report.pointer.pointee.underrunFrames.load(ordering: .relaxed)
        return figures
    }

    /// - Parameter listener: called on the worker when something of note has changed, with what was before and is now.
    func listen(_ listener: (@Sendable (VoiceFigures, VoiceFigures) -> Void)?) {
        state.withLock { $0.listener = listener }
    }

    /// - Parameters:
    ///   - reader: what hears the far end; `nil` for none.
    ///   - remove: takes it away.
    func setFar(_ reader: consuming TapReader?, _ remove: (@Sendable () -> Void)?) {
        let last = state.withLock { state in
            defer { state.removeFar = remove }
            return state.removeFar
        }
        last?()
        var feed: FarFeed?
        if let reader { feed = FarFeed(reader) }
        work.withLock { [feed] work in
            work.far = feed
            work.work?.setFar(feed)
        }
    }

    // What the engine calls.

    var sampleRates: ClosedRange<Int> { VoiceForm.convertedRates }

    func makeBody(_ format: NodeFormat) -> NodeBody {
        let tap = Tap(channels: format.channels, capacity: Self.capacityFrames)
        let ring = FrameRing(channels: format.channels, capacity: Self.capacityFrames)
        let report = Cell(DetourReport())
        sampleRate.store(format.sampleRate, ordering: .relaxed)
        let made = VoiceWork(engine, options, tap.reader(capacity: Self.capacityFrames), ring.producer)
        work.withLock { work in
            made.setFar(work.far)
            work.work = made
        }
        state.withLock { $0.report = report }
        return .detour(
            Cell(
                DetourState(
                    tap.writer, ring.consumer, report, sampleRate: format.sampleRate, expectedBurst: format.periodFrames
                )))
    }

    var latencyFrames: Int {
        let report = state.withLock { $0.report }
        // SAFETY: as above.
        return unsafe report.pointer.pointee.waitFrames.load(ordering: .relaxed)
            + VoiceChain.delayFrames(engine, options, sampleRate: sampleRate.load(ordering: .relaxed))
    }

    var settlingFrames: Int { latencyFrames }

    func follow(_ format: NodeFormat) {
        sampleRate.store(format.sampleRate, ordering: .relaxed)
        work.withLock { $0.work?.prepare(sampleRate: format.sampleRate) }
        guard format.hasWorkers else { return }
        state.withLock { state in
            guard state.worker == nil else { return }
            isEnding.store(false, ordering: .relaxed)
            // Where the machine has no more threads to give, the node is silent, and the underruns tell.
            state.worker = try? TimerWorker(
                "iounit-voice",
                // Above all that is not real time, and below all of JACK: a frame that waits for the worker may be late.
                atStart: { Scheduling(policy: .fifo, priority: 1).request() },
                whenever: { [weak self] in
                    let now = MonotonicClock.nanoseconds()
                    self?.look(now)
                    return now + Self.paceNanoseconds
                })
        }
    }

    private func look(_ now: UInt64) {
        // Unlocks after each block: `figures` waits for one block and no longer, however far behind the worker is.
        while !isEnding.load(ordering: .relaxed), work.withLock({ $0.work?.step(now) ?? false }) {}
        let present = figures
        let (listener, told) = state.withLock { state in
            defer { state.told = present }
            return (state.listener, state.told)
        }
        let isNews =
            present.divergences != told.divergences || present.delayChanges != told.delayChanges
            || (present.delayMilliseconds == nil) != (told.delayMilliseconds == nil)
        if isNews { listener?(told, present) }
    }

    func renderAhead(to frame: UInt64) { while work.withLock({ $0.work?.step(nil) ?? false }) {} }

    func end() {
        isEnding.store(true, ordering: .relaxed)
        let (worker, remove) = state.withLock { state in
            defer { (state.worker, state.removeFar) = (nil, nil) }
            return (state.worker, state.removeFar)
        }
        worker?.stop()
        remove?()
        work.withLock { $0.far = nil }
    }
}

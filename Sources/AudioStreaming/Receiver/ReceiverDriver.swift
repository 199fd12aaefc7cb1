import AudioIO
import AudioRealtime
import Jack
import Synchronization
import Threads

/// The control side of a receiver node: its worker, and what is known of it.
final class ReceiverDriver: NodeDriver {
    private let origin: StreamOrigin
    private let settings: ReceiverSettings
    private let state = Mutex(State())
    private let present = Mutex(ReceiverFigures())
    private let isStopping = Atomic<Bool>(false)
    /// In hertz; 0 before it is known.
    private let sampleRate = Atomic<Int>(0)

    private struct State {
        var worker: Worker?
        var exchange = Cell(ReceiverExchange())
        var channels = 1
    }

    init(_ origin: StreamOrigin, _ settings: ReceiverSettings) {
        self.origin = origin
        self.settings = settings
    }

    var figures: ReceiverFigures { present.withLock { $0 } }

    // What the engine calls.

    var isSource: Bool { true }

    func makeBody(_ format: NodeFormat) -> NodeBody {
        state.withLock { state in
            state.exchange = Cell(ReceiverExchange())
            state.channels = format.channels
            return .receiver(Cell(ReceiverState(state.exchange, sampleRate: format.sampleRate)))
        }
    }

    func follow(_ format: NodeFormat) {
        sampleRate.store(format.sampleRate, ordering: .relaxed)
        guard format.hasWorkers else { return }
        state.withLock { state in
            guard state.worker == nil else { return }
            isStopping.store(false, ordering: .relaxed)
            let (exchange, channels) = (state.exchange, state.channels)
            do throws(ResourceError) {
                state.worker = try Worker("iounit-receive") { [self] in run(exchange, channels: channels) }
            } catch {
                fail(StreamError(.resources, error.operation, error.reason))
            }
        }
    }

    func end() {
        isStopping.store(true, ordering: .relaxed)
        let worker = state.withLock { state in
            defer { state.worker = nil }
            return state.worker
        }
        worker?.join()
    }

    private func fail(_ error: StreamError) {
        present.withLock { figures in
            figures.state = .failed
            figures.failure = error
        }
    }

    // The worker.

    /// How much is buffered depends on the length of a block, which the first one tells: with another guess the sound would jump.
    /// Before anything can come: what waits in a socket would be taken for late. A unit that does not render is waited for half a
    /// second, and no longer.
    private func awaitBlock(_ exchange: Cell<ReceiverExchange>) {
        let deadline = MonotonicClock.nanoseconds() + 500_000_000
        // SAFETY: the cell keeps the exchange, which is atomic.
        while unsafe exchange.pointer.pointee.period == nil, !isStopping.load(ordering: .relaxed),
            MonotonicClock.nanoseconds() < deadline
        {
            MonotonicClock.sleep(milliseconds: 1)
        }
    }

    private func run(_ exchange: Cell<ReceiverExchange>, channels: Int) {
        // Above all that is not real time, and below all of JACK: a packet that waits for the worker is as good as late. Where the
        // kernel refuses it, the buffer that is measured is larger.
        Scheduling(policy: .fifo, priority: 1).request()
        awaitBlock(exchange)
        let reception = Reception(origin, settings, exchange, channels: channels)
        do throws(StreamError) {
            let source = try origin.open { [self] in !isStopping.load(ordering: .relaxed) }
            while !isStopping.load(ordering: .relaxed) {
                let rate = sampleRate.load(ordering: .relaxed)
                try reception.work(source, serverRate: rate)
                present.withLock { $0 = reception.figures }
            }
        } catch {
            present.withLock { $0 = reception.figures }
            fail(error)
        }
        reception.close()
    }
}

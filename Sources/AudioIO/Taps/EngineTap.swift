import Synchronization
import Threads

/// A tap on a node of an engine: a worker calls a handler with buffers of one length, each with its time, from the next block
/// that is rendered on until the tap is removed or the engine is closed.
///
/// A handler that takes too long loses whole buffers of its own, which are counted, and disturbs nobody else. It may call the
/// engine, close it too.
public final class EngineTap: Sendable {
    /// Called with each buffer and the time of its first frame.
    public typealias Handler = @Sendable (AudioBuffer, BufferTime) -> Void

    /// Length of each buffer.
    public let frames: Int
    /// Twice as often as buffers of a thousand frames come.
    private static let wakeNanoseconds: UInt64 = 5_000_000

    /// Whether the handler gathers what it gets, and wants the last piece too, however short.
    private let isGathered: Bool
    /// Whether what waits for the handler at the end is left out.
    private let leavesRest: Bool
    private let assembler: Mutex<TapAssembler>
    private let handler: Handler
    private let atEnd: @Sendable () -> Void
    private let detach: @Sendable () -> Void
    private let worker = Mutex<TimerWorker?>(nil)
    private let isStopping = Atomic<Bool>(false)

    private let lost: LostBuffers?

    /// - Parameters:
    ///   - pieceFrames: where the handler gathers what it gets: the length of what it is called with.
    ///   - lost: what its handler could not hand on.
    ///   - leavesRest: whether the handler is not called any more once the tap is removed.
    ///   - atEnd: called when the handler will be called no more.
    init(
        _ tap: consuming RemovableTap, frames: Int, pieceFrames: Int?, lost: LostBuffers?, leavesRest: Bool,
        handler: @escaping Handler, atEnd: @escaping @Sendable () -> Void
    ) {
        self.lost = lost
        self.frames = frames
        isGathered = pieceFrames != nil
        self.leavesRest = leavesRest
        self.handler = handler
        detach = tap.remove
        self.atEnd = atEnd
        assembler = Mutex(TapAssembler(tap.reader, frames: pieceFrames ?? frames))
    }

    /// Frames that were not delivered up to the last buffer, and those that found no room since.
    public var lostFrames: UInt64 {
        assembler.withLock { max($0.lostFrames, $0.droppedFrames) } + (lost?.all ?? 0)
    }

    /// Ends the tap: the handler is called with what was rendered so far, as far as it fills buffers, and then no more. From the
    /// handler itself too. Calling it again does nothing. Thread: any but audio.
    public func remove() {
        detach()
        end()
    }

    func start() throws(ResourceError) {
        let worker = try TimerWorker("iounit-tap", every: Self.wakeNanoseconds, atEnd: finish) { [self] _ in deliver() }
        self.worker.withLock { $0 = worker }
    }

    @Sendable private func finish() {
        deliver(isLast: true)
        atEnd()
    }

    /// Calls the handler with what there is. Thread: the worker; offline the renderer's.
    func deliver(isLast: Bool = false) {
        guard !isDeaf else { return }
        // The handler may call us: it is called without the lock.
        var buffers: [(AudioBuffer, BufferTime)] = []
        assembler.withLock { assembler in
            assembler.deliver {
                buffers.append(($0, $1))
                return !isDeaf
            }
            if isLast && isGathered { assembler.finish { buffers.append(($0, $1)) } }
        }
        for (buffer, time) in buffers where !isDeaf { handler(buffer, time) }
    }

    private var isDeaf: Bool { leavesRest && isRemoved }

    /// Whether it was removed, or its engine was closed.
    public var isRemoved: Bool { isStopping.load(ordering: .relaxed) }

    /// Nothing more is rendered for it. Thread: control.
    func end() {
        guard !isStopping.exchange(true, ordering: .relaxed) else { return }
        if let worker = worker.withLock({ $0 }) {
            worker.stop()
        } else {
            finish()
        }
    }
}

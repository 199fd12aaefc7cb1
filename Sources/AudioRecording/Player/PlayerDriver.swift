import AudioFiles
import AudioIO
import AudioRealtime
import Synchronization
import Threads

/// The control side of a player node: its schedule, and the worker that reads files ahead of the audio thread.
final class PlayerDriver: NodeDriver {
    private static let wakeNanoseconds: UInt64 = 5_000_000
    /// So many orders may be on their way to the audio thread.
    private static let orderCapacity = 256

    private let schedule: Mutex<PlayerSchedule>
    private let lastFailure: LastFailure
    /// What goes with the transport. Who asks for it does not wait for a file that is opened.
    private let followed = Mutex<[Playback]>([])
    private let figures = Mutex(Figures())
    private let waiters = Mutex<[Int: CheckedContinuation<Void, Never>]>([:])
    private let nextWaiter = Atomic<Int>(0)
    private let worker = Mutex<TimerWorker?>(nil)
    private let hasWorker = Atomic<Bool>(false)
    /// Held while one works: where there is no worker, who renders waits for what another opens.
    private let working = Mutex<Void>(())
    private let refused = Mutex<ResourceError?>(nil)
    private let paused = Atomic<Bool>(false)
    private let following = Atomic<Bool>(false)

    /// What the audio thread counts, and has counted where the player was attached before.
    private struct Figures {
        var counters = Cell(PlayerCounters())
        var playedFrames: UInt64 = 0
        var underrunFrames: UInt64 = 0
        var nonFiniteSamples: UInt64 = 0
    }

    init() {
        let schedule = PlayerSchedule()
        lastFailure = schedule.lastFailure
        self.schedule = Mutex(schedule)
    }
}

// What is to be played.
extension PlayerDriver {
    func play(_ playbacks: [Playback], at start: Player.Start) {
        schedule.withLock { $0.play(playbacks, at: start) }
        workWithoutWorker()
    }

    var current: Playback? { schedule.withLock { $0.current() } }
    func seek(to seconds: Double) -> Bool {
        let isSought = schedule.withLock { $0.seek(to: seconds) }
        workWithoutWorker()
        return isSought
    }
    func cancel(_ playbacks: [Playback]) -> Int { schedule.withLock { $0.cancel(playbacks) } }

    /// Plays things with JACK's transport from now on; with none of them, it goes with it no more.
    func follow(_ playbacks: [Playback]) {
        figures.withLock { figures in
            following.store(!playbacks.isEmpty, ordering: .relaxed)
            // SAFETY: the cell keeps the counters, which are atomic.
            unsafe figures.counters.pointer.pointee.followsTransport.store(!playbacks.isEmpty, ordering: .relaxed)
        }
        followed.withLock { $0 = playbacks }
        schedule.withLock { $0.follow(playbacks) }
    }

    var timelineLengths: [Double?] { followed.withLock { $0.map(\.item.seconds) } }

    var isPaused: Bool {
        get { paused.load(ordering: .relaxed) }
        set {
            figures.withLock { figures in
                paused.store(newValue, ordering: .relaxed)
                // SAFETY: the cell keeps the counters, which are atomic.
                unsafe figures.counters.pointer.pointee.isPaused.store(newValue, ordering: .relaxed)
            }
        }
    }

    func stop(at frame: UInt64) {
        schedule.withLock { $0.stop(at: frame) }
        workWithoutWorker()
    }

    var isIdle: Bool {
        workWithoutWorker()
        return schedule.withLock { $0.isIdle }
    }

    /// Why there is no worker.
    var refusal: ResourceError? { refused.withLock { $0 } }
    var failure: SoundFileError? {
        refusal.map { SoundFileError(.io, "play", "anything", "\($0)") } ?? lastFailure.value
    }

    /// Returns when there is nothing to play, or where the task is cancelled.
    func waitUntilIdle() async {
        let number = nextWaiter.add(1, ordering: .relaxed).newValue
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                waiters.withLock { $0[number] = continuation }
                if Task.isCancelled || isIdle { resume(number) }
            }
        } onCancel: {
            resume(number)
        }
    }

    private func resume(_ number: Int) { waiters.withLock { $0.removeValue(forKey: number) }?.resume() }

    private func resumeAll() {
        for number in waiters.withLock({ Array($0.keys) }) { resume(number) }
    }
}

// What was played.
extension PlayerDriver {
    var playedFrames: Int { total(\.playedFrames) { $0.playedFrames.load(ordering: .relaxed) } }
    var underrunFrames: Int { total(\.underrunFrames) { $0.underrunFrames.load(ordering: .relaxed) } }
    var nonFiniteSamples: Int { total(\.nonFiniteSamples) { $0.nonFiniteSamples.load(ordering: .relaxed) } }

    /// Of the present counters, and of those before.
    private func total(_ before: KeyPath<Figures, UInt64>, _ present: (borrowing PlayerCounters) -> UInt64) -> Int {
        figures.withLock { figures in
            // SAFETY: here and below, the cell keeps the counters, which are atomic.
            unsafe Int(figures[keyPath: before] + present(figures.counters.pointer.pointee))
        }
    }

    var firstPosition: UInt64? { position { $0.firstPosition.load(ordering: .acquiring) } }
    var startPosition: UInt64? { position { $0.startPosition.load(ordering: .acquiring) } }
    var endPosition: UInt64? { position { $0.endPosition.load(ordering: .acquiring) } }

    private func position(_ load: (borrowing PlayerCounters) -> Int) -> UInt64? {
        let stored = figures.withLock { unsafe load($0.counters.pointer.pointee) }
        return stored < 0 ? nil : UInt64(stored)
    }
}

// What the engine calls.
extension PlayerDriver {
    var isSource: Bool { true }

    func makeBody(_ format: NodeFormat) -> NodeBody {
        let counters = figures.withLock { figures in
            let last = figures.counters
            figures.playedFrames += unsafe last.pointer.pointee.playedFrames.load(ordering: .relaxed)
            figures.underrunFrames += unsafe last.pointer.pointee.underrunFrames.load(ordering: .relaxed)
            figures.nonFiniteSamples += unsafe last.pointer.pointee.nonFiniteSamples.load(ordering: .relaxed)
            figures.counters = Cell(PlayerCounters())
            unsafe figures.counters.pointer.pointee.isPaused.store(
                paused.load(ordering: .relaxed), ordering: .relaxed)
            unsafe figures.counters.pointer.pointee.followsTransport.store(
                following.load(ordering: .relaxed), ordering: .relaxed)
            return figures.counters
        }
        return schedule.withLock { schedule in
            let orders = Ring<PlayerOrder>(capacity: Self.orderCapacity)
            let keeper = PlayerKeeper()
            schedule.begin(
                PlayerSchedule.Side(
                    orders: orders.producer, counters: counters, keeper: keeper, channels: format.channels))
            return .player(
                Cell(
                    PlayerState(
                        orders: orders.consumer, counters: counters, keeper: keeper, sampleRate: format.sampleRate)))
        }
    }

    /// Before the first block all that it begins with is made ready here; a change of the rate is the worker's. So is all of a
    /// player that is attached while sound runs: the engine's lock is held here, and a disk may hang.
    func follow(_ format: NodeFormat) {
        let isFirst = schedule.withLock { schedule in
            schedule.follow(sampleRate: format.sampleRate)
            return schedule.isWaitingForRate
        }
        if format.hasWorkers { startWorker() }
        if isFirst && !(format.isRunning && hasWorker.load(ordering: .relaxed)) { work() }
    }

    func renderAhead(to frame: UInt64) { work(to: frame) }

    func end() {
        worker.withLock { worker in
            worker?.stop()
            worker = nil
            hasWorker.store(false, ordering: .relaxed)
        }
        schedule.withLock { $0.end() }
        resumeAll()
    }
}

// The worker.
extension PlayerDriver {
    private func startWorker() {
        worker.withLock { worker in
            guard worker == nil else { return }
            do throws(ResourceError) {
                worker = try TimerWorker("iounit-player", every: Self.wakeNanoseconds) { [self] _ in work() }
                hasWorker.store(true, ordering: .relaxed)
            } catch {
                refused.withLock { $0 = error }
            }
        }
    }

    private func work(to frame: UInt64 = 0) { working.withLock { _ in workAlone(to: frame) } }

    private func workAlone(to frame: UInt64) {
        var next: PlayerOpening?
        repeat {
            let (feeds, isIdle, opening) = schedule.withLock { schedule in
                if let next { schedule.end(next) }
                schedule.work(to: frame)
                return (schedule.feeds, schedule.isIdle, schedule.takeOpening())
            }
            // Not under the lock: a file may be slow, and who asks for something else need not wait for it.
            for feed in feeds { feed.fill() }
            if isIdle { resumeAll() }
            opening?.open()
            next = opening
        } while next != nil
    }

    /// Does what was asked for just now, where no worker does so in a few milliseconds.
    private func workWithoutWorker() { if !hasWorker.load(ordering: .relaxed) { work() } }
}

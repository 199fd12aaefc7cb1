import AudioRealtime
import Jack
import Synchronization
import Threads

/// What the audio thread of a player owns: made and wired by the control thread, then reached through its address.
@safe struct FeedProcess: ~Copyable {
    /// How long a freewheeling server is made to wait for the worker before silence is played after all.
    private static var patienceNanoseconds: UInt64 { @_noLocks @_noAllocation get { 10_000_000_000 } }

    /// Set on JACK's notification thread.
    let isFreewheeling = Atomic<Bool>(false)
    private var client: ClientHandle?
    /// In memory of our own: the audio thread must not touch an array.
    private let ports: UnsafeMutablePointer<PortHandle>
    private let channels: Int
    /// What the source is made for, in hertz.
    private let sampleRate: UInt32
    private var unit: FeedUnit

    init(consumer: consuming FrameConsumer, sampleRate: Int, state: Cell<FeedState>) {
        self.sampleRate = UInt32(clamping: sampleRate)
        channels = consumer.channels
        unsafe ports = .allocate(capacity: channels)
        unit = FeedUnit(consumer, state: state)
    }

    deinit {
        // SAFETY: allocated above; handles need no destruction, and libjack calls us no more.
        unsafe ports.deallocate()
    }

    /// Thread: control, before activation.
    mutating func wire(_ client: ClientHandle, _ ports: [Port]) {
        precondition(ports.count == channels)
        self.client = client
        // SAFETY: `channels` handles fit.
        for (channel, port) in ports.enumerated() { unsafe (self.ports + channel).initialize(to: port.handle) }
    }

    /// Plays a cycle. Thread: audio. Wait-free, but for a freewheeling server.
    @_noLocks @_noAllocation
    mutating func play(frames: UInt32) {
        guard let client else { return }
        waitWhileFreewheeling(frames: Int(frames))
        let cycle = Cycle(client, frames: frames)
        for channel in 0..<channels {
            // SAFETY: as many handles were initialised; a buffer holds the frames of its cycle.
            unsafe unit.outputs.set(channel, to: cycle.buffer(of: (ports + channel).pointee))
        }
        // At another rate the pitch would be wrong: the engine makes the player join again.
        unit.render(frames: cycle.frames, frameTime: cycle.frameTime, isHeld: cycle.sampleRate != sampleRate)
        cycle.end()
    }

    /// A freewheeling server is not real time: it waits for us while we wait for the worker, so that nothing is
    /// missing from what is heard, then and in the quarter of a second after it stops to freewheel. The worker's failure
    /// ends the wait, because it ends the source.
    @_noLocks @_noAllocation
    private mutating func waitWhileFreewheeling(frames: Int) {
        guard isFreewheeling.load(ordering: .relaxed) else { return }
        let reserve = Int(sampleRate) / 4
        guard unit.wouldUnderrun(frames: frames, reserve: reserve) else { return }
        let deadline = MonotonicClock.nanoseconds() + Self.patienceNanoseconds
        while unit.wouldUnderrun(frames: frames, reserve: reserve) && MonotonicClock.nanoseconds() < deadline {
            pauseFreewheelingCycle()
        }
    }
}

/// JACK's audio thread comes in here, with the player's `FeedProcess` as its context.
@c(iounit_feed_process) @_noLocks @_noAllocation
func feedProcess(frames: UInt32, context: UnsafeMutableRawPointer?) -> CInt {
    // SAFETY: `SourcePlayer` passes the address of one, and keeps it until the client is closed.
    unsafe context?.assumingMemoryBound(to: FeedProcess.self).pointee.play(frames: frames)
    return 0
}

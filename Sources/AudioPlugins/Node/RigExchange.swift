import AudioRealtime
import Synchronization

/// The way of rigs to the audio thread and back: a new one where the state or the sample rate of a plug-in has changed. The
/// audio thread fades from the old to the new, gives the old one back, and somebody else frees it.
@safe final class RigExchange: Sendable {
    private let cell = Cell(Slots())
    /// For the audio thread, whose state keeps the object.
    var slots: UnsafeMutablePointer<Slots> { unsafe cell.pointer }
    private let kept = Mutex<[PluginRig]>([])

    @safe struct Slots: ~Copyable {
        /// The next one; `nil` where there is none.
        let next = unsafe Atomic<UnsafeMutablePointer<RigSide>?>(nil)
        /// One that is rendered no more.
        let last = unsafe Atomic<UnsafeMutablePointer<RigSide>?>(nil)
        /// What the plug-in tells.
        let latencyFrames = Atomic<Int>(0)
        /// Where it began to tell another one, in frames since the stream began; -1 where nothing is new.
        let latencyChange = Atomic<Int>(-1)
        /// MIDI messages that found no room.
        let lostMessages = Atomic<UInt64>(0)
        let longestRun = LongestRun()
    }

    /// Hands a rig over. One that was not taken yet gives way. Thread: any but audio.
    func offer(_ rig: PluginRig) {
        unsafe slots.pointee.latencyFrames.store(rig.side.pointee.latencyFrames, ordering: .relaxed)
        let refused = kept.withLock { kept in
            kept.append(rig)
            let unused = unsafe slots.pointee.next.exchange(rig.side, ordering: .acquiringAndReleasing)
            return unsafe Self.remove(unused, from: &kept)
        }
        // Freed here, and not under the lock.
        _ = refused
        collect()
    }

    /// Frees what is rendered no more. Thread: any but audio.
    func collect() {
        let done = kept.withLock { kept in
            unsafe Self.remove(slots.pointee.last.exchange(nil, ordering: .acquiring), from: &kept)
        }
        _ = done
    }

    private static func remove(_ side: UnsafeMutablePointer<RigSide>?, from kept: inout [PluginRig]) -> PluginRig? {
        kept.firstIndex { unsafe $0.side == side }.map { kept.remove(at: $0) }
    }

    /// Those that may be rendered, the newest last.
    var rigs: [PluginRig] { kept.withLock { $0 } }

    var longestRun: PluginRunTime { unsafe slots.pointee.longestRun.longest(.shared) }
    func takeRecentRun() -> PluginRunTime { unsafe slots.pointee.longestRun.take(.shared) }
    func forgetRuns() { unsafe slots.pointee.longestRun.forget() }

    var lostMessages: UInt64 { unsafe slots.pointee.lostMessages.load(ordering: .relaxed) }
    /// Where the latency has become another one since the last call; `nil` where it has not.
    func takeLatencyChange() -> Int? {
        let frame = unsafe slots.pointee.latencyChange.exchange(-1, ordering: .acquiring)
        return frame < 0 ? nil : frame
    }

    var latencyFrames: Int { unsafe slots.pointee.latencyFrames.load(ordering: .relaxed) }
}

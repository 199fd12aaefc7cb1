import AudioRealtime
import Synchronization

/// What is switched on or off of a plug-in. Set by any thread but audio, which reads it.
struct PluginSwitches: ~Copyable {
    let bypass = Atomic<Bool>(false)
    let hearsMIDI = Atomic<Bool>(true)
    let sendsMIDI = Atomic<Bool>(true)
}

/// A plug-in's way to the MIDI of its engine, each message at its frame. All calls are the audio thread's, and wait-free.
@safe struct HostedMIDI: ~Copyable {
    /// What came by `Plugin.send`.
    private var sent: Consumer<MIDIMessage>
    private let cycle: Cell<MIDICycle>
    private let engine: UnsafeMutablePointer<MIDICycle>
    /// Which cycle is rendered, which of its frames are done, and what of its messages was heard.
    private var number: UInt64 = 0
    private var frame = 0
    private var heard = 0

    init(_ sent: consuming Consumer<MIDIMessage>, _ cycle: Cell<MIDICycle>) {
        self.sent = sent
        self.cycle = cycle
        unsafe engine = cycle.pointer
    }

    /// Before the frames of a call: perhaps those of another cycle than the last ones. The engine renders a cycle in parts where a
    /// loop is short.
    @_noLocks @_noAllocation
    mutating func follow() {
        // SAFETY: here and below, `cycle` keeps it.
        let now = unsafe engine.pointee.number
        guard now != number else { return }
        (number, frame, heard) = (now, 0, 0)
    }

    /// Behind the frames of a call.
    @_noLocks @_noAllocation
    mutating func advance(by frames: Int) { frame += frames }

    /// Has a rig hear what came for a block that it renders next.
    ///
    /// - Parameter start: of the call's frames.
    /// - Returns: how many messages found no room.
    @_noLocks @_noAllocation
    mutating func hand(
        to rig: UnsafeMutablePointer<RigSide>, from start: Int, count: Int, hears: borrowing Atomic<Bool>
    ) -> Int {
        var lost = 0
        while let message = sent.pop() {
            if unsafe !rig.pointee.add(message) { lost += 1 }
        }
        let first = frame + start
        let isHeard = hears.load(ordering: .relaxed)
        if isHeard { unsafe engine.pointee.listen() }
        while let event = unsafe engine.pointee.arrived[heard], event.frame < first + count {
            heard += 1
            guard isHeard else { continue }
            if unsafe !rig.pointee.add(event.message, atFrame: max(0, event.frame - first)) { lost += 1 }
        }
        return lost
    }

    /// Takes what a rig has made in the block that it rendered last; of several instances, the first one's.
    ///
    /// - Returns: how many messages were lost.
    @_noLocks @_noAllocation
    func take(
        from rig: UnsafeMutablePointer<RigSide>, _ start: Int, count: Int, sends: borrowing Atomic<Bool>
    ) -> Int {
        // Without a MIDI port nobody waits for them.
        guard number > 0, sends.load(ordering: .relaxed) else { return 0 }
        return unsafe rig.pointee.instance(0).pointee.passEvents(
            into: &engine.pointee, from: frame + start, frames: count)
    }
}

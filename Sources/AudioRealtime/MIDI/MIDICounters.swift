import Synchronization

/// What is counted of a unit's MIDI ports. Written by the audio thread; any thread may read.
package struct MIDICounters: ~Copyable {
    /// Messages of a channel that came.
    package let received = Atomic<UInt64>(0)
    /// System messages that came, as a clock's, which mean nothing here.
    package let ignored = Atomic<UInt64>(0)
    /// Invalid messages that came.
    package let malformed = Atomic<UInt64>(0)
    /// Messages that found no room on their way to the control thread, or to the nodes.
    package let dropped = Atomic<UInt64>(0)
    package let sent = Atomic<UInt64>(0)
    /// Messages that JACK refused. Of those from the control thread, what finds no room waits for the next cycle; of the nodes', it
    /// is lost.
    package let unsent = Atomic<UInt64>(0)

    package init() {}
}

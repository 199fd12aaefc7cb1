import AudioDSP

/// The addresses of the port buffers of one cycle, in a table that was allocated once.
///
/// A port that has no buffer this time (PipeWire gives none for some) is silent, or goes nowhere.
@safe @usableFromInline package struct PortBuffers: ~Copyable {
    @usableFromInline let table: Row<UnsafeMutablePointer<Float>?>

    package init(channels: Int) {
        precondition(channels >= 0)
        // No bits are no address.
        unsafe table = Row(zeros: channels)
    }

    @inlinable package var channels: Int { @_noLocks @_noAllocation get { unsafe table.count } }

    /// Sets a channel's buffer. It must hold as many frames as the cycle has. Thread: audio. Wait-free.
    @unsafe @inlinable @_noLocks @_noAllocation
    package func set(_ channel: Int, to buffer: UnsafeMutablePointer<Float>?) {
        precondition(channel >= 0 && channel < channels)
        unsafe table.base[channel] = buffer
    }

    /// `count` frames of a channel's buffer from frame `start` on. Thread: audio. Wait-free.
    @_noLocks @_noAllocation
    package func run(_ channel: Int, from start: Int, count: Int) -> Samples? {
        precondition(channel >= 0 && channel < channels && start >= 0)
        // SAFETY: the caller stays within the frames of the cycle, for which the buffer was set.
        guard let buffer = unsafe table.base[channel] else { return nil }
        return unsafe Samples(buffer + start, count: count)
    }

    /// Copies `count` frames of every channel from frame `start` on into a bundle of as many. A channel without a buffer is
    /// silent. Thread: audio. Wait-free.
    ///
    /// - Returns: how many samples were not finite; they are silence.
    @_noLocks @_noAllocation
    package func copyFinite(to planes: borrowing Planes, _ bundle: Bundle, from start: Int, count: Int) -> Int {
        var broken = 0
        for channel in 0..<channels {
            let plane = planes.run(bundle, channel, count: count)
            if let input = run(channel, from: start, count: count) {
                broken += plane.copyFinite(from: input)
            } else {
                plane.clear()
            }
        }
        return broken
    }
}

import AudioDSP

/// The unit's own buffers: one run of samples for each channel, in memory that was allocated once.
@safe package struct Planes: ~Copyable {
    private let memory: Row<Float>
    package let channels: Int
    /// The longest block that there is room for, in frames.
    package let capacity: Int
    /// The block that the planes are laid out for, in frames.
    private var length = 0
    /// From one plane to the next, in samples.
    package private(set) var stride = 0

    package init(channels: Int, capacity: Int) {
        precondition(channels >= 1 && capacity >= 1)
        self.channels = channels
        self.capacity = capacity
        memory = Row(zeros: channels * Self.stride(for: capacity))
        arrange(frames: capacity)
    }

    /// Lays the planes side by side for blocks of this length; what they held is void. A short block of many channels
    /// then lies on few pages of memory, which the processor finds sooner than as many as there are channels.
    /// Thread: audio. Wait-free.
    @_noLocks @_noAllocation
    package mutating func arrange(frames: Int) {
        precondition(frames >= 0 && frames <= capacity)
        length = frames
        stride = Self.stride(for: frames)
    }

    /// Whole cache lines, and one more: planes a power of two apart would all fall onto the same sets of the cache.
    @_noLocks @_noAllocation
    private static func stride(for frames: Int) -> Int { ((frames + 15) & ~15) + 16 }

    /// `count` frames of a channel from frame `start` on. Thread: audio. Wait-free.
    @_noLocks @_noAllocation
    package func run(_ channel: Int, from start: Int = 0, count: Int) -> Samples {
        precondition(channel >= 0 && channel < channels && start >= 0 && count >= 0 && start + count <= length)
        // SAFETY: checked on the line above; the strides of `length` and less fit what was allocated.
        return unsafe Samples(memory.base + channel * stride + start, count: count)
    }

    /// Puts silence in place of what is not finite in a bundle; returns how many samples were replaced. Thread: audio.
    /// Wait-free.
    @_noLocks @_noAllocation
    func silenceNotFinite(_ bundle: Bundle, frames: Int) -> Int {
        var replaced = 0
        for channel in 0..<bundle.channels { replaced += run(bundle, channel, count: frames).silenceNotFinite() }
        return replaced
    }
}

/// The channels of one connection: so many of a plan's planes, side by side.
package struct Bundle: BitwiseCopyable, Sendable, Hashable {
    // Short, so that two steps of a plan fit into a cache line.
    private let number: UInt32
    private let count: UInt32

    /// The number of the first plane.
    package var first: Int { @_noLocks @_noAllocation get { Int(number) } }
    package var channels: Int { @_noLocks @_noAllocation get { Int(count) } }

    @_noLocks @_noAllocation
    package init(first: Int, channels: Int) {
        number = UInt32(first)
        count = UInt32(channels)
    }
}

extension Planes {
    /// `count` frames of a bundle's channel from frame `start` on. Thread: audio. Wait-free.
    @_noLocks @_noAllocation
    package func run(_ bundle: Bundle, _ channel: Int, from start: Int = 0, count: Int) -> Samples {
        run(bundle.first + channel, from: start, count: count)
    }

    /// All planes as one bundle.
    package var all: Bundle { @_noLocks @_noAllocation get { Bundle(first: 0, channels: channels) } }
}

import AudioDSP

/// The channels of one connection: so many of a plan's planes, side by side.
package struct Bundle: BitwiseCopyable, Sendable, Hashable {
    /// The number of the first plane.
    package let first: Int
    package let channels: Int

    @_noLocks @_noAllocation
    package init(first: Int, channels: Int) {
        self.first = first
        self.channels = channels
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

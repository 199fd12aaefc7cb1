/// Some frames of sound, as a tap delivers them and a player takes them: a run of samples for each channel.
public struct AudioBuffer: Sendable, Equatable {
    /// 1 or more.
    public let channels: Int
    /// Of each channel.
    public let frames: Int
    /// One channel behind the other, `frames` samples of each.
    public private(set) var samples: [Float]

    /// Silence.
    ///
    /// - Parameters:
    ///   - channels: 1 or more.
    ///   - frames: 0 or more. More samples than memory has room for are a mistake of the program, and trap.
    public init(channels: Int, frames: Int) {
        self.channels = max(1, channels)
        self.frames = max(0, frames)
        samples = [Float](repeating: 0, count: self.channels * self.frames)
    }

    /// - Parameter signals: one for each channel. What is shorter than the longest ends in silence.
    public init(_ signals: [[Float]]) {
        self.init(channels: signals.count, frames: signals.map(\.count).max() ?? 0)
        for (channel, signal) in signals.enumerated() {
            samples.replaceSubrange(channel * frames..<channel * frames + signal.count, with: signal)
        }
    }

    package init(channels: Int, frames: Int, interleaved: ArraySlice<Float>) {
        self.init(channels: channels, frames: frames)
        let start = interleaved.startIndex
        for channel in 0..<channels {
            for frame in 0..<frames {
                samples[channel * frames + frame] = interleaved[start + frame * channels + channel]
            }
        }
    }

    /// The samples of a channel, from 0.
    public subscript(channel: Int) -> ArraySlice<Float> { samples[channel * frames..<(channel + 1) * frames] }

    /// The largest magnitude in a channel, linear. What is no number has no level.
    package func peak(of channel: Int) -> Float {
        var peak: Float = 0
        for sample in self[channel] where abs(sample) > peak && sample.isFinite { peak = abs(sample) }
        return peak
    }

    /// A sample of each channel in turn, as files have them.
    public var interleaved: [Float] {
        var result: [Float] = []
        result.reserveCapacity(samples.count)
        for frame in 0..<frames {
            for channel in 0..<channels { result.append(samples[channel * frames + frame]) }
        }
        return result
    }
}

/// When a buffer was rendered: the time of its first frame.
public struct BufferTime: Sendable, Equatable {
    /// Frames that the engine rendered before it since it was made.
    public var position: UInt64
    /// JACK's frame clock; wraps at 2³². Offline the position.
    public var frameTime: UInt32
    /// On the monotonic clock: when its cycle began, and, within the cycle, as much later as the frames before it last.
    /// Offline as long after 0 as the frames before it last.
    public var hostNanoseconds: UInt64
    /// In hertz.
    public var sampleRate: Int
    /// Frames that are missing between the buffer before and this one, because their reader was too slow or another run began.
    public var lostFrames: UInt64

    /// The time of a buffer that a program makes itself, as in a test; see the properties.
    public init(
        position: UInt64, frameTime: UInt32, hostNanoseconds: UInt64, sampleRate: Int, lostFrames: UInt64 = 0
    ) {
        self.position = position
        self.frameTime = frameTime
        self.hostNanoseconds = hostNanoseconds
        self.sampleRate = sampleRate
        self.lostFrames = lostFrames
    }
}

import AudioDSP
import AudioRealtime

/// Outputs with memory of their own, in which shows what was never written.
final class PortMemory {
    let buffers: PortBuffers
    private let memory: Planes
    private let frames: Int
    /// What a frame holds where nothing was written.
    static let untouched: Float = 777

    init(channels: Int, frames: Int) {
        buffers = PortBuffers(channels: channels)
        memory = Planes(channels: channels, capacity: max(1, frames))
        self.frames = frames
        for channel in 0..<channels {
            let samples = memory.run(channel, count: frames)
            for frame in 0..<frames { samples[frame] = Self.untouched }
            buffers.set(channel, to: samples.baseAddress)
        }
    }

    /// What each output holds.
    var signals: [[Float]] {
        (0..<buffers.channels).map { channel in
            let samples = memory.run(channel, count: frames)
            return (0..<frames).map { samples[$0] }
        }
    }
}

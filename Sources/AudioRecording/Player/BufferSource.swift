import AudioFiles
import AudioIO
import Synchronization

/// A buffer that is played.
final class BufferSource: Playable {
    private let buffer: AudioBuffer
    private let loops: Bool
    /// In hertz; `nil` until it is played for the first time, and then that of the engine.
    private let sampleRate: Mutex<Int?>

    init(_ buffer: AudioBuffer, sampleRate: Int?, loops: Bool) {
        self.buffer = buffer
        self.loops = loops
        self.sampleRate = Mutex(sampleRate)
    }

    private func ownRate(at sampleRate: Int) -> Int {
        self.sampleRate.withLock { own in
            if own == nil { own = sampleRate }
            return own ?? sampleRate
        }
    }

    func frames(at sampleRate: Int) -> Int? {
        loops && buffer.frames > 0 ? nil : buffer.frames * sampleRate / ownRate(at: sampleRate) + 1
    }

    func open(
        sampleRate: Int, channels: Int, from seconds: Double
    ) throws(SoundFileError) -> sending any Signal {
        let rate = ownRate(at: sampleRate)
        let signal = BufferSignal(buffer, from: frameCount(of: seconds, at: rate), loops: loops)
        return try adapted(signal, from: rate, to: sampleRate, channels: channels, name: "a buffer")
    }
}

/// The frames of a buffer, one run after the other.
private struct BufferSignal: Signal {
    private let buffer: AudioBuffer
    private let loops: Bool
    private var position: Int

    init(_ buffer: AudioBuffer, from position: Int, loops: Bool) {
        self.buffer = buffer
        self.loops = loops
        self.position = loops && buffer.frames > 0 ? position % buffer.frames : position
    }

    var channels: Int { buffer.channels }

    mutating func read(_ frames: Int, into target: inout [Float]) -> Int {
        if loops && position >= buffer.frames { position = 0 }
        let count = min(frames, buffer.frames - position)
        guard count > 0 else { return 0 }
        for channel in 0..<channels {
            let samples = buffer[channel]
            for frame in 0..<count {
                target[frame * channels + channel] = samples[samples.startIndex + position + frame]
            }
        }
        position += count
        return count
    }
}

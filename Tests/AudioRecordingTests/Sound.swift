import CSndFile
import TestSupport
import Testing

/// A sound, interleaved, for making files and for looking into them.
struct Sound: Equatable {
    var sampleRate = 48000
    var channels = 1
    var samples: [Float] = []

    var frames: Int { samples.count / channels }

    /// A sound whose every sample is another number, each exact in 24 bits.
    static func numbered(frames: Int, channels: Int = 1, sampleRate: Int = 48000) -> Sound {
        Sound(
            sampleRate: sampleRate, channels: channels,
            samples: (0..<frames * channels).map { numberedSample($0) })
    }

    static func sine(hertz: Double, frames: Int, sampleRate: Int) -> Sound {
        Sound(
            sampleRate: sampleRate,
            samples: TestSupport.sine(hertz, frames: frames, sampleRate: sampleRate))
    }

    static func numberedSample(_ index: Int) -> Float { Float(index % (1 << 22) + 1) / Float(1 << 23) }

    func write(to path: String, format: Int = SF_FORMAT_WAV | SF_FORMAT_FLOAT) throws {
        var facts = SF_INFO()
        facts.samplerate = CInt(sampleRate)
        facts.channels = CInt(channels)
        facts.format = CInt(format)
        let file = try #require(sf_open(path, CInt(SFM_WRITE), &facts))
        defer { sf_close(file) }
        try #require(sf_writef_float(file, samples, Int64(frames)) == Int64(frames))
    }

    static func read(_ path: String) throws -> (sound: Sound, format: Int, promisedFrames: Int) {
        var facts = SF_INFO()
        let file = try #require(sf_open(path, CInt(SFM_READ), &facts), "libsndfile does not open \(path)")
        defer { sf_close(file) }
        var sound = Sound(sampleRate: Int(facts.samplerate), channels: Int(facts.channels))
        var block = [Float](repeating: 0, count: 4096 * sound.channels)
        while case let count = sf_readf_float(file, &block, 4096), count > 0 {
            sound.samples += block.prefix(Int(count) * sound.channels)
        }
        return (sound, Int(facts.format), Int(facts.frames))
    }
}

/// The bytes of a mono WAV file of 16 bits whose header says what it is told to say.
func wavBytes(riffSize: UInt32, dataSize: UInt32, dataBytes: Int, sampleRate: UInt32 = 48000) -> [UInt8] {
    func little(_ value: UInt32) -> [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) } }
    let format: [UInt8] = [1, 0, 1, 0] + little(sampleRate) + little(sampleRate &* 2) + [2, 0, 16, 0]
    return Array("RIFF".utf8) + little(riffSize) + Array("WAVEfmt ".utf8) + little(16) + format
        + Array("data".utf8) + little(dataSize) + (0..<dataBytes).map { UInt8($0 & 0x7f) }
}

import AudioFiles
import AudioStreaming
import Foundation
import TestSupport

/// Noise that a codec of integers of so many bits can say to the bit.
func steppedNoise(frames: Int, channels: Int, bits: Int, seed: UInt64 = 1) -> [Float] {
    var generator = SeededGenerator(seed: seed)
    return generator.steppedNoise(count: frames * channels, bits: bits)
}

/// All packets of a sound that comes in pieces of odd lengths, the held-back ones among them.
func packets(
    of sound: [Float], _ settings: CodecSettings, channels: Int, sampleRate: Int = 48000, seed: UInt64 = 7
) throws -> (opening: StreamOpening, header: StreamPacket?, packets: [StreamPacket]) {
    var encoder = try StreamEncoder(settings, sampleRate: sampleRate, channels: channels, firstFrame: 1000)
    var generator = SeededGenerator(seed: seed)
    var made: [StreamPacket] = []
    var start = 0
    for length in generator.split(sound.count / channels, longest: 3000) {
        let end = start + length * channels
        let wall = 1_000_000_000 + Int64(Double(start / channels) * 1e9 / Double(sampleRate))
        made += try encoder.encode(Array(sound[start..<end]), sampleRate: sampleRate, wallNanoseconds: wall)
        start = end
    }
    made += try encoder.finish()
    let first = made[0]
    return (encoder.opening(at: first), encoder.header(before: first), made)
}

/// What a receiver hears of packets, as floats.
func decoded(
    _ opening: StreamOpening, _ header: StreamPacket?, _ packets: some Sequence<StreamPacket>
) throws -> [Float] {
    var decoder = try StreamDecoder(opening)
    if let header { _ = try decoder.decode(header) }
    var heard: [Float] = []
    for packet in packets {
        // As from the network.
        heard += floats(try decoder.decode(StreamPacket(packet.bytes)))
    }
    return heard
}

/// Samples of any format as floats, exactly where they have up to 24 bits.
func floats(_ buffer: PCMBuffer) -> [Float] {
    guard buffer.format.sampleFormat != .float32 else { return buffer.samples(of: Float.self) }
    var format = buffer.format
    format.sampleFormat = .float32
    guard var converter = try? StreamConverter(from: buffer.format, to: format) else { return [] }
    var all: [Float] = []
    converter.push(buffer) { all += $0.samples(of: Float.self) }
    return all
}

/// How far `heard` is from `sound`: noise against signal in decibels.
func errorDecibels(_ heard: some Sequence<Float>, _ sound: some Sequence<Float>) -> Double {
    var (noise, signal) = (1e-30, 1e-30)
    for (one, other) in zip(heard, sound) {
        noise += pow(Double(one - other), 2)
        signal += pow(Double(other), 2)
    }
    return 10 * log10(noise / signal)
}

import AudioFiles
import AudioIO
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import AudioRecording

@Suite("A tap at a rate of one's own choice") struct ConvertedTapTests {
    private final class Heard: Sendable {
        let buffers = Mutex<[(AudioBuffer, BufferTime)]>([])
        func add(_ buffer: AudioBuffer, _ time: BufferTime) { buffers.withLock { $0.append((buffer, time)) } }
        var all: [(AudioBuffer, BufferTime)] { buffers.withLock { $0 } }
        var samples: [Float] { all.flatMap { $0.0[0] } }
    }

    private func sine(_ frames: Int) -> [Float] { (0..<frames).map { 0.5 * Float(sin(Double($0) * 0.05)) } }

    /// What the converter makes of a signal as a whole.
    private func converted(_ signal: [Float], from rate: Int, to other: Int) throws -> [Float] {
        var converter = try StreamConverter(
            from: StreamFormat(sampleRate: rate, channels: 1), to: StreamFormat(sampleRate: other, channels: 1),
            ConverterSettings(quality: .medium))
        var made: [Float] = []
        converter.push(PCMBuffer(converter.inputFormat, signal)) { made += $0.samples(of: Float.self) }
        converter.finish { made += $0.samples(of: Float.self) }
        return made
    }

    @Test func `hands over what came before a rate that cannot be converted`() {
        let stream = ConvertedStream(StreamFormat(sampleRate: 16_000, channels: 1, layout: .planar), frames: 10)
        let start = BufferTime(position: 0, frameTime: 0, hostNanoseconds: 0, sampleRate: 48_000)
        var made = stream.take(AudioBuffer([sine(4800)]), at: start)
        let next = BufferTime(position: 4800, frameTime: 4800, hostNanoseconds: 100_000_000, sampleRate: 4_800_000)
        made += stream.take(AudioBuffer([sine(4800)]), at: next)
        #expect(made.count == 160, "all of the first 1600 frames at the converted rate")
    }

    @Test(arguments: [(48_000, 16_000), (44_100, 48_000), (48_000, 48_000)])
    func `hears what a converter makes of the whole, in buffers of one length, each with its time`(
        _ rate: Int, _ wanted: Int
    ) throws {
        let engine = try Engine(offline: rate, inputs: 1, outputs: 1)
        let heard = Heard()
        let tap = try engine.tap(engine.input, frames: 100, sampleRate: wanted, handler: heard.add)
        #expect(tap.frames == 100)
        try engine.start()
        let signal = sine(20_000)
        for start in stride(from: 0, to: signal.count, by: 777) {
            let block = Array(signal[start..<min(start + 777, signal.count)])
            _ = try engine.render(block.count, input: [block])
        }
        engine.close()
        let expected = try converted(signal, from: rate, to: wanted)
        // What the converter held back and what was gathered for it come at the end: all but what fills no buffer.
        #expect(heard.samples.count == expected.count / 100 * 100)
        #expect(firstDifference(heard.samples, Array(expected.prefix(heard.samples.count))) == nil)
        for (number, (buffer, time)) in heard.all.enumerated() {
            #expect(buffer.frames == 100 && time.sampleRate == wanted && time.lostFrames == 0)
            let seconds = Double(number * 100) / Double(wanted)
            #expect(time.position == UInt64((seconds * Double(rate)).rounded()))
            #expect(abs(Double(time.hostNanoseconds) / 1e9 - seconds) < 1.5 / Double(rate))
        }
    }

    @Test func `begins another stream behind a pause, and says how much is missing`() throws {
        let engine = try Engine(offline: 48_000, inputs: 1, outputs: 1, rampMilliseconds: 0)
        let heard = Heard()
        try engine.tap(engine.input, frames: 100, sampleRate: 16_000, handler: heard.add)
        try engine.start()
        _ = try engine.render(3000, input: [sine(3000)])
        try engine.pause()
        _ = try engine.render(4800, input: [sine(4800)])
        try engine.resume()
        _ = try engine.render(6000, input: [sine(6000)])
        engine.close()
        let late = try #require(heard.all.first { $0.1.position >= 3000 })
        // From its first frame on it is what begins there.
        let behind = heard.all.filter { $0.1.position >= 3000 }.flatMap { $0.0[0] }
        let expected = try converted(sine(6000), from: 48_000, to: 16_000)
        #expect(late.1.position == 7800, "\(late.1)")
        #expect(firstDifference(behind, Array(expected.prefix(behind.count))) == nil && behind.count == 2000)
    }

    private final class Witness: ConvertedEngineDelegate {
        let converted = Heard()
        let streamed = Heard()
        func engine(_ engine: Engine, streaming buffer: AudioBuffer, time: BufferTime) { streamed.add(buffer, time) }
        func engine(_ engine: Engine, converted buffer: AudioBuffer, time: BufferTime) { converted.add(buffer, time) }
    }

    @Test func `is a delegate's too, beside the sound as it is, and ends with it`() throws {
        let engine = try Engine(offline: 48_000, inputs: 2, outputs: 1)
        let witness = Witness()
        try engine.setDelegate(witness, convertingTo: 24_000, channels: 1)
        try engine.start()
        _ = try engine.render(48_000, input: [sine(48_000), sine(48_000)])
        #expect(witness.streamed.all.count == 46 && witness.converted.all.count >= 22)
        #expect(witness.converted.all.allSatisfy { $0.0.channels == 1 && $0.1.sampleRate == 24_000 })
        let count = witness.converted.all.count
        try engine.setDelegate(nil)
        _ = try engine.render(48_000, input: [sine(48_000), sine(48_000)])
        #expect(witness.converted.all.count <= count + 1, "what was rendered before may come at the end")
        engine.close()
    }

    @Test func `that no converter can make is refused at once`() throws {
        let engine = try Engine(offline: 48_000, inputs: 1, outputs: 1)
        for rate in [0, -1, 1] {
            #expect(throws: ConversionError.self) {
                try engine.tap(engine.input, frames: 100, sampleRate: rate) { _, _ in }
            }
        }
        engine.close()
    }

    @Test(arguments: [16_000, 44_100, 48_000])
    func `and a recording at one has its exact length, and what the converter makes of the whole`(rate: Int) throws {
        let folder = try TemporaryFolder()
        let engine = try Engine(offline: 48_000, inputs: 1, outputs: 1)
        let recorder = try engine.record(engine.input, to: folder("take.wav"), sampleRate: rate)
        try engine.start()
        let signal = sine(48_001)
        for start in stride(from: 0, to: signal.count, by: 1000) {
            let block = Array(signal[start..<min(start + 1000, signal.count)])
            _ = try engine.render(block.count, input: [block])
        }
        engine.close()
        let sound = try Sound.read(folder("take.wav")).sound
        #expect(sound.sampleRate == rate && recorder.failure == nil)
        let expected = try converted(signal, from: 48_000, to: rate)
        #expect(sound.samples.count == Int((48_001 * Double(rate) / 48_000).rounded()))
        #expect(firstDifference(sound.samples, expected) == nil)
        #expect(recorder.frame(atPosition: 100) == (rate == 48_000 ? 100 : nil))
    }
}

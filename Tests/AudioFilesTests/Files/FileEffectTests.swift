import AudioFiles
import Foundation
import TestSupport
import Testing

/// Doubles what comes, and hands it over later.
private final class Late: FileEffect {
    let latencyFrames: Int
    private var held: [[Float]]
    private(set) var failure: FileEffectError?
    private let failsAt: Int
    private var count = 0

    init(_ format: StreamFormat, frames: Int, failsAt: Int = .max) {
        latencyFrames = frames
        held = Array(repeating: [Float](repeating: 0, count: frames), count: format.channels)
        self.failsAt = failsAt
    }

    func process(_ planes: [[Float]], frames: Int) -> [[Float]] {
        count += frames
        if count >= failsAt { failure = FileEffectError("it broke") }
        for channel in planes.indices { held[channel] += planes[channel].prefix(frames).map { 2 * $0 } }
        let made = held.map { Array($0.prefix(frames)) }
        for channel in held.indices { held[channel].removeFirst(frames) }
        return made
    }

    var nonFiniteSamples: Int { 3 }
    var warnings: [String] { ["heard \(count) frames"] }
}

/// Leaves what comes, and says that it is late.
private final class Boastful: FileEffect {
    let latencyFrames: Int
    init(_ frames: Int) { latencyFrames = frames }
    func process(_ planes: [[Float]], frames: Int) -> [[Float]] { planes }
}

@Suite("An effect of a conversion") struct FileEffectTests {
    let folder: TemporaryFolder
    init() throws { folder = try TemporaryFolder() }

    private func write(_ frames: Int) throws -> [Float] {
        var generator = SeededGenerator(seed: 5)
        let samples = generator.signal(count: 2 * frames, magnitude: 0.2)
        let writer = try SoundFileWriter(
            path: folder("a.wav"), format: SoundFileFormat(.wav, .float), sampleRate: 48_000, channels: 2)
        try writer.write(PCMBuffer(StreamFormat(sampleRate: 48_000, channels: 2), samples))
        try writer.close()
        return samples
    }

    private func samples(_ name: String) throws -> [Float] {
        let reader = try SoundFileReader(path: folder(name))
        var buffer = PCMBuffer(
            StreamFormat(sampleRate: 48_000, channels: reader.channels), capacityFrames: reader.frames ?? 0)
        _ = try reader.read(into: &buffer)
        return buffer.samples(of: Float.self)
    }

    @Test(arguments: [(0, 5000), (1, 5000), (1500, 5000), (3000, 10)])
    func `changes the sound with each frame at its time, and is heard to its end`(delay: Int, frames: Int) throws {
        let sound = try write(frames)
        var conversion = FileConversion()
        conversion.effect = { format throws(FileEffectError) in Late(format, frames: delay) }
        let outcome = try conversion.convert(SoundFileReader(path: folder("a.wav")), to: folder("b.wav"))
        #expect(outcome.outputFrames == frames && outcome.nonFiniteSamples == 3)
        #expect(outcome.warnings == ["heard \(frames + delay) frames"])
        #expect(try samples("b.wav") == sound.map { 2 * $0 })
    }

    @Test(arguments: [Int.min, .max])
    func `makes as many frames as there are, however late it says that it is`(frames: Int) throws {
        let sound = try write(3000)
        var conversion = FileConversion()
        conversion.effect = { _ throws(FileEffectError) in Boastful(frames) }
        let outcome = try conversion.convert(SoundFileReader(path: folder("a.wav")), to: folder("b.wav"))
        #expect(outcome.outputFrames == 3000)
        #expect(try samples("b.wav") == (frames < 0 ? sound : sound.map { _ in 0 }))
    }

    @Test func `stands between the gain and what brings a peak about`() throws {
        let sound = try write(3000)
        var conversion = FileConversion()
        conversion.gainDecibels = -20
        conversion.peakDecibels = -6
        conversion.effect = { format throws(FileEffectError) in
            #expect(format.channels == 2 && format.sampleRate == 48_000)
            return Late(format, frames: 700)
        }
        let outcome = try conversion.convert(SoundFileReader(path: folder("a.wav")), to: folder("b.wav"))
        let made = try samples("b.wav")
        let peak = made.map(abs).max() ?? 0
        #expect(outcome.outputFrames == 3000 && abs(peak - pow(10, -6 / 20)) < 1e-6)
        let largest = sound.map(abs).max() ?? 1
        #expect(zip(sound, made).allSatisfy { abs($0 / largest - $1 / peak) < 1e-5 })
    }

    @Test func `one that cannot be had leaves no file and replaces none, and one that breaks is told`() throws {
        _ = try write(3000)
        for isUsage in [false, true] {
            var conversion = FileConversion()
            conversion.replaces = true
            conversion.effect = { _ throws(FileEffectError) in throw FileEffectError("none today", isUsage: isUsage) }
            try Data("kept".utf8).write(to: URL(fileURLWithPath: folder("b.wav")))
            let error = #expect(throws: SoundFileError.self) {
                try conversion.convert(SoundFileReader(path: folder("a.wav")), to: folder("b.wav"))
            }
            #expect(error?.kind == (isUsage ? .unsupportedFormat : .badInput))
            #expect(error?.description == "cannot convert \(folder("a.wav")): none today")
            #expect(try String(contentsOfFile: folder("b.wav"), encoding: .utf8) == "kept")
        }
        for goal in [nil, -1.0] {
            var conversion = FileConversion()
            conversion.peakDecibels = goal
            conversion.effect = { format throws(FileEffectError) in Late(format, frames: 5, failsAt: 2000) }
            let error = #expect(throws: SoundFileError.self) {
                try conversion.convert(SoundFileReader(path: folder("a.wav")), to: folder("c\(goal ?? 0).wav"))
            }
            #expect(error?.reason.hasPrefix("it broke") == true)
        }
    }

    @Test func `a curve's tail ends in zeros, as in a live path`() throws {
        let writer = try SoundFileWriter(
            path: folder("a.wav"), format: SoundFileFormat(.wav, .float), sampleRate: 48_000, channels: 1)
        let sound = [Float](repeating: 0.5, count: 4800) + [Float](repeating: 0, count: 480_000)
        try writer.write(PCMBuffer(StreamFormat(sampleRate: 48_000, channels: 1), sound))
        try writer.close()
        var conversion = FileConversion()
        conversion.shaping = FileShaping(.asymmetric)
        _ = try conversion.convert(try SoundFileReader(path: folder("a.wav")), to: folder("b.wav"))
        let tail = try samples("b.wav")
        #expect(tail.allSatisfy { !$0.isSubnormal } && tail.suffix(4800).allSatisfy { $0 == 0 })
    }
}

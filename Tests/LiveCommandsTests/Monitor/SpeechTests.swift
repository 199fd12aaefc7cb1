import CommandTestSupport
import Foundation
import TestSupport
import Testing

@Suite("Real sound goes in, and the recording holds what the formula says")
struct SpeechTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// Speech at 48 kHz, so that no conversion comes between it and the unit.
    private func speech() throws -> SoundFile {
        let path = folder("speech.wav")
        let spoken = try CommandRun.tool("espeak-ng", "-w", path, "Check, one, two, three.")
        try #require(spoken.code == 0, "espeak-ng is needed: run Tools/setup --tests")
        var file = try SoundFile(reading: path)
        // The same samples, called 48 kHz: the content is what matters here.
        file.sampleRate = 48000
        return file
    }

    private func shaped(_ x: Float, gain: Double, _ shape: String) -> Double {
        let driven = Double(x) * gain
        let limited = min(max(driven, -1), 1)
        switch shape {
        case "cubic": return 1.5 * limited - 0.5 * limited * limited * limited
        case "hard": return limited
        case "tanh": return tanh(driven)
        default: return driven
        }
    }

    @Test(arguments: ["cubic", "hard", "tanh", "off"])
    func `speech comes out of the unit as the formula has it, sample for sample`(_ shape: String) throws {
        let speech = try speech()
        let input = folder("in.wav")
        let output = folder("out.wav")
        try speech.write(input)
        // In sync mode the server skips no client, whatever else the machine does.
        let run = try CommandRun.run(
            "monitor", "--dummy", "--sync", "--period", "256", "--source", input, "--record", output, "--gaps", "cut",
            "--shape", shape,
            "--gain", "6", "--drive", "3", "--json")
        #expect(run.code == 0, "\(run.err)")
        let report = try object(run.out)
        let source = try #require(report["source"] as? [String: Any])
        let recorded = try #require(report["recorded"] as? [String: Any])
        let start = try #require(source["startFrame"] as? Int)
        #expect(source["frames"] as? Int == speech.frames)
        #expect(source["underrunFrames"] as? Int == 0)
        #expect(recorded["droppedFrames"] as? Int == 0)

        let recording = try SoundFile(reading: output)
        #expect(recorded["frames"] as? Int == recording.frames)
        #expect(recording.sampleRate == 48000 && recording.channels.count == 2)
        try #require(recording.frames >= start + speech.frames)
        let gain = pow(10, (shape == "off" ? 6.0 : 9.0) / 20)
        for channel in recording.channels {
            #expect(channel[..<start].allSatisfy { $0 == 0 }, "silence before the source begins")
            var worst = 0.0
            for frame in 0..<speech.frames {
                worst = max(
                    worst, abs(Double(channel[start + frame]) - shaped(speech.channels[0][frame], gain: gain, shape)))
            }
            // tanh is an approximation, stated to 1e-6; the others are exact but for rounding.
            #expect(worst <= (shape == "tanh" ? 1.5e-6 : 1e-6), "worst difference \(worst)")
        }
    }

    /// Also as much later as a limiter lets it through.
    @Test(arguments: [[], ["--bypass", "--drive", "40"], ["--limiter", "ceiling=0"]])
    func `without a shape, and with a bypass, every bit of the file is left alone`(_ words: [String]) throws {
        let speech = try speech()
        let input = folder("in.wav")
        let output = folder("out.wav")
        try speech.write(input)
        let run = try CommandRun(
            [
                "monitor", "--dummy", "--sync", "--period", "256", "--source", input, "--record", output, "--gaps",
                "cut", "--json",
            ] + words)
        #expect(try run.end() == 0, "\(run.err)")
        let report = try object(run.out)
        let start = try #require((report["source"] as? [String: Any])?["startFrame"] as? Int)
        let recording = try SoundFile(reading: output)
        try #require(recording.frames >= start + speech.frames)
        #expect(Array(recording.channels[0][start..<(start + speech.frames)]) == speech.channels[0])
    }

    @Test func `a file of another rate is converted, and keeps its length and its pitch`() throws {
        let tone = (0..<44100).map { Float(0.5 * sin(2 * Double.pi * 1000 * Double($0) / 44100)) }
        let input = folder("in.wav")
        let output = folder("out.flac")
        try SoundFile(sampleRate: 44100, channels: [tone, tone]).write(input)
        let run = try CommandRun.run(
            "monitor", "--dummy", "--sync", "--period", "256", "--source", input, "--record", output, "--gaps", "cut",
            "--shape", "off",
            "--json")
        #expect(run.code == 0, "\(run.err)")
        let source = try #require(try object(run.out)["source"] as? [String: Any])
        #expect(source["sampleRate"] as? Int == 44100)
        let frames = try #require(source["frames"] as? Int)
        #expect(abs(frames - 48000) <= 1)
        let start = try #require(source["startFrame"] as? Int)
        let recording = try SoundFile(reading: output)
        // Away from the ends, where the converter's filter sees the cut.
        for frame in 4000..<44000 {
            let expected = 0.5 * sin(2 * Double.pi * 1000 * Double(frame) / 48000)
            guard abs(Double(recording.channels[0][start + frame]) - expected) < 2e-4 else {
                Issue.record("frame \(frame): \(recording.channels[0][start + frame]) and not \(expected)")
                break
            }
        }
    }
}

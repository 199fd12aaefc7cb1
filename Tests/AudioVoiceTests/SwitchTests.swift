import AudioIO
import Foundation
import TestSupport
import Testing
import VoiceTestSupport

@testable import AudioVoice

/// Voice processing comes and goes while sound runs.
@Suite struct SwitchTests {
    @Test(arguments: VoiceEngine.allCases)
    func `Neither switching on nor off makes a hole or a click`(library: VoiceEngine) throws {
        let rate = 48_000
        let engine = try Engine(offline: rate, inputs: 1, outputs: 1)
        try engine.connect(engine.input, to: engine.output)
        try engine.start()
        defer { engine.close() }
        let voice = try VoiceProcessor(library, VoiceOptions("echo") ?? VoiceOptions())
        var place = 0
        var output: [Float] = []
        func render(_ frames: Int) throws {
            let input = (0..<frames).map { Float(0.25 * sin(2 * .pi * 300 * Double(place + $0) / Double(rate))) }
            place += frames
            for start in stride(from: 0, to: frames, by: 64) {
                output += try engine.render(
                    min(64, frames - start), input: [Array(input[start..<min(start + 64, frames)])])[0]
            }
        }
        try render(rate / 2)
        // Without a far end: what comes out would be one of which a tone is an echo at any delay.
        engine.attach(voice)
        try engine.change {
            engine.disconnect(engine.input, from: engine.output)
            try engine.connect(engine.input, to: voice)
            try engine.connect(voice, to: engine.output)
        }
        try render(rate / 2)
        #expect(engine.latencyFrames == voice.latencyFrames)
        try engine.change {
            engine.disconnect(engine.input, from: voice)
            engine.disconnect(voice, from: engine.output)
            try engine.connect(engine.input, to: engine.output)
        }
        try render(rate / 2)
        #expect(engine.latencyFrames == 0)
        #expect(output.count == place)
        let steepest = 0.25 * 2 * Double.pi * 300 / Double(rate)
        let step = Double(output.largestStep)
        #expect(step < 1.5 * steepest, "a step of \(step), where the sine's are \(steepest) at the most")
        // Both fade into each other, as far apart in time as the latency is: of a sine little may be left for a moment, 10 ms.
        for start in stride(from: 1024, to: output.count - 960, by: 960) {
            #expect(VoiceSignals.power(output[start..<start + 960]) > 0.001, "at \(start)")
        }
        #expect(voice.figures.underrunFrames == 0)
    }
}

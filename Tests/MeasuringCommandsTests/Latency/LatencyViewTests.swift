import AudioFigures
import CommandTestSupport
import Testing

@testable import MeasuringCommands
@testable import TerminalPages

@Suite("The live view of a latency as text") struct LatencyViewTests {
    private func scene(rounds: [Double] = [128, 128.25, 127.75], isBad: Bool = false) -> LatencyScene {
        var scene = LatencyScene(
            title: ["dummy stage", "48000 Hz", "64 frames = 1.33 ms"], path: "system:playback_1 to system:capture_1",
            words: "nothing of the signal is heard", sampleRate: 48000, declared: nil, discarded: isBad ? 2 : 0,
            peakDecibels: isBad ? 0 : -12)
        scene.rounds = rounds.map {
            LatencyEstimate(
                frames: $0, errorFrames: 0.01, isInverted: false, levelDecibels: -6, signalToNoiseDecibels: 60,
                falseAlarmProbability: 1e-12)
        }
        (scene.done, scene.progress) = ("4.2 of 10.0 s", 0.42)
        scene.trouble = isBad ? "the JACK server stands still: no cycle for 2 s" : nil
        return scene
    }

    private func lines(_ scene: LatencyScene, _ columns: Int, _ rows: Int, color: Bool = false) -> [String] {
        Page(columns: columns, rows: rows, hasColor: color, hasUnicode: true, hasKeys: true).lines(scene)
    }

    @Test func `no line is wider than the window and no page longer`() {
        for rounds in [[], [128.0], [Double](repeating: 1e9, count: 500)] {
            for isBad in [false, true] {
                expectFits { $0.lines(scene(rounds: rounds, isBad: isBad)) }
            }
        }
    }

    @Test func `the last round is shown in frames and milliseconds, beside the least and the most`() {
        let text = lines(scene(), 80, 24).joined(separator: "\n")
        for word in [
            "127.750 frames", "2.661 ms", "level -6.0 dB", "rounds 3", "left out 0", "least 127.750", "most 128.250",
            "peak heard -12.0 dB", "4.2 of 10.0 s", "42 %", "system:playback_1 to system:capture_1", "q end",
        ] {
            #expect(text.contains(word), "\(word) in \(text)")
        }
    }

    @Test func `where nothing is heard yet the words say so, also in a low window`() {
        for (columns, rows) in [(80, 24), (40, 3)] {
            let text = lines(scene(rounds: []), columns, rows).joined(separator: "\n")
            #expect(text.contains("nothing of the signal is heard") && text.contains("4.2 of 10.0 s"), "\(text)")
        }
    }

    @Test func `what was left out, a clipped signal and trouble are red`() {
        let bad = lines(scene(isBad: true), 80, 24, color: true).joined(separator: "\n")
        #expect(bad.contains(/\x{1b}\[31mleft out 2/) && bad.contains(/\x{1b}\[31mpeak heard 0\.0 dB/), "\(bad)")
        #expect(bad.contains("stands still"))
        #expect(!lines(scene(), 80, 24, color: true).joined().contains("\u{1b}[31m"))
    }
}

import AudioStreaming
import CommandTestSupport
import Testing

@testable import LiveCommands
@testable import LiveRuns
@testable import TerminalPages

@Suite("The live view of iounit send as text") struct SendViewTests {
    private func scene(channels: Int = 2, targets: Int = 3) -> RunScene {
        var meters = [LevelMeter](repeating: LevelMeter(), count: channels)
        for channel in meters.indices { meters[channel].update(peak: 0.25, clipped: 1, time: 0, elapsed: 0.03) }
        let all = [
            TargetScene(
                name: "rtp://10.0.0.7:5004", format: "opus 48000 Hz", state: .connected, sentPackets: 4321,
                lostPackets: 0,
                reconnections: 0, bytesPerSecond: 12_345),
            TargetScene(
                name: "tcp://studio.local:8000", format: "flac 48000 Hz", state: .connecting, sentPackets: 77,
                lostPackets: 12, reconnections: 2, bytesPerSecond: 0),
            TargetScene(
                name: "file:/tmp/Grüße, 世界.wav", format: "float 48000 Hz", state: .failed, sentPackets: 0,
                lostPackets: 999, reconnections: 0, bytesPerSecond: nil),
        ]
        return RunScene(
            title: ["dummy stage", "48000 Hz", "64 frames = 1.33 ms", "async", "SCHED_FIFO 5"], meters: meters,
            elapsedSeconds: 83, maximumSeconds: 3600, xruns: 2, lostMilliseconds: 3,
            targets: (0..<targets).map { all[$0 % 3] },
            trouble: "the JACK server is gone; waiting for it")
    }

    private func page(_ columns: Int, _ rows: Int, unicode: Bool = true) -> Page {
        Page(columns: columns, rows: rows, hasColor: false, hasUnicode: unicode, hasKeys: true)
    }

    @Test func `no line is wider than the window and no page longer`() {
        for channels in [1, 2, 64] {
            for targets in [1, 3, 40] {
                expectFits { $0.lines(scene(channels: channels, targets: targets), droppedFrames: 64) }
            }
        }
    }

    @Test(arguments: [(20, 5), (40, 10), (60, 16), (80, 24), (200, 50)])
    func `that it sends, for how long, and a meter are seen in each window`(_ columns: Int, _ rows: Int) {
        var scene = scene()
        if rows < 10 { scene.trouble = nil }
        let text = page(columns, rows).lines(scene, droppedFrames: 64).joined(separator: "\n")
        #expect(text.contains("● LIVE") && text.contains("00:01:23"), "\(text)")
        #expect(text.contains("   1 █"), "\(text)")
        #expect(rows < 10 || text.contains("the JACK server is gone"), "\(text)")
        #expect(rows < 16 || text.contains("rtp://10.0.0.7:5004"), "\(text)")
        #expect(rows < 24 || text.contains("q quit") && text.contains("stage"), "\(text)")
    }

    @Test func `the page of 80 columns tells all that there is to tell`() {
        let text = page(80, 24).lines(scene(), droppedFrames: 64).joined(separator: "\n")
        for word in [
            "00:01:23 / 01:00:00", "1 of 3 reached", "rtp://10.0.0.7:5004", "connected", "opus 48000 Hz", "12.3 kB/s",
            "sent 4321", "lost 0", "tcp://studio.local:8000", "reconnecting", "lost 12", "reached again 2 times",
            "file:/tmp/Grüße, 世界.wav", "GIVEN UP", "lost 999", "xruns 2", "lost 3.0 ms", "64 frames DROPPED", "q quit",
            "-12.0 dB", "CLIP",
        ] {
            #expect(text.contains(word), "\(word) in \(text)")
        }
        let ascii = page(80, 24, unicode: false).lines(scene(), droppedFrames: 64).joined(separator: "\n")
        #expect(ascii.contains("* LIVE") && ascii.allSatisfy(\.isASCII), "\(ascii)")
    }

    @Test func `where nobody is reached it waits, and where there is no room it says how many targets there are more`()
    {
        var nobody = scene()
        nobody.targets.removeFirst()
        let text = page(80, 24).lines(nobody, droppedFrames: 64).joined()
        #expect(text.contains(" WAIT    00:01:23 / 01:00:00   0 of 2 reached"))
        let many = page(80, 24).lines(scene(targets: 40), droppedFrames: 64).joined(separator: "\n")
        #expect(many.contains("and ") && many.contains(" more"), "\(many)")
    }

    @Test func `bytes per second are those since the last look`() {
        var pace = BytePace(count: 2)
        pace.update([0, 500], atNanoseconds: 1_000_000_000)
        #expect(pace.perSecond == [nil, nil])
        pace.update([99, 500], atNanoseconds: 1_500_000_000)
        #expect(pace.perSecond == [nil, nil])
        pace.update([3000, 500], atNanoseconds: 3_000_000_000)
        #expect(pace.perSecond == [1500, 0])
    }
}

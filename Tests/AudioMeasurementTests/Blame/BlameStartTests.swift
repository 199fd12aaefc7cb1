import AudioFigures
import AudioRealtime
import Testing

@testable import AudioMeasurement

@Suite("Blame from the start of a measurement") struct BlameStartTests {
    private static let millisecond = 1_000_000.0

    /// Of a measurement that begins in the middle between the scene's 50th cycle, the last of the warm-up, and its 51st.
    private func judge(of scene: BlameScene) -> BlameJudge {
        var judge = BlameJudge(
            sampleRate: 48000, startNanoseconds: UInt64(1e12 + 49.5 * scene.periodNanoseconds))
        judge.follow(scene.own[49])
        judge.add(own: Array(scene.own[50...]))
        judge.add(sentinel: Array(scene.sentinel[50...]))
        return judge
    }

    @Test func `counts its first cycle, where that is late after the warm-up`() {
        var scene = BlameScene()
        scene.cycles(50)
        scene.serverStall(nanoseconds: 5 * Self.millisecond)
        scene.cycles(50)
        let judge = judge(of: scene)
        #expect(judge.counts.wakeup == 1 && judge.counts.total == 1)
        // As many as the analysis of the same records has long intervals.
        var analysis = CallbackAnalysis(mode: .callback, name: "callback", sampleRate: 48000, periodFrames: 64)
        analysis.follow(scene.own[49])
        analysis.add(Array(scene.own[50...]))
        #expect(analysis.report.lost.longIntervals == 1)
    }

    @Test func `is its own where the last callback of the warm-up ran past its period`() {
        var scene = BlameScene()
        scene.cycles(49)
        scene.ownStall(nanoseconds: 5 * Self.millisecond, isSync: true)
        scene.cycles(50)
        let judge = judge(of: scene)
        #expect(judge.counts.own == 1 && judge.counts.total == 1)
    }

    @Test func `comes with the time since then, as the series beside it`() throws {
        var scene = BlameScene()
        scene.cycles(60)
        scene.serverStall(nanoseconds: 5 * Self.millisecond)
        scene.cycles(10)
        let event = try #require(judge(of: scene).events.first)
        let expected = 10.5 * scene.periodNanoseconds + 5 * Self.millisecond + scene.wakeUpOffsetNanoseconds
        #expect(abs(Double(event.nanoseconds) - expected) <= 3)
        var analysis = CallbackAnalysis(
            mode: .callback, name: "callback", sampleRate: 48000, periodFrames: 64,
            startNanoseconds: UInt64(1e12 + 49.5 * scene.periodNanoseconds))
        analysis.add(scene.own)
        #expect(analysis.report.series.events.map(\.nanoseconds) == [event.nanoseconds])
    }
}

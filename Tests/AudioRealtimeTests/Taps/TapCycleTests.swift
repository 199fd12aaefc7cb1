import AudioDSP
import AudioRealtime
import TestSupport
import Testing

/// Cycles that come a little late, now and then with a loss.
private struct JitteryServer {
    let periodFrames: Int
    /// The cycles from one loss to the next.
    let between: Int
    private(set) var frameTime: UInt32 = 1000
    private var dueNanoseconds = 1e12
    private var number = 0
    private var generator = SeededGenerator(seed: 190)

    static let lateNanoseconds = 20e6
    static let skippedPeriods = 5

    init(periodFrames: Int, between: Int) {
        self.periodFrames = periodFrames
        self.between = between
    }

    private var periodNanoseconds: Double { Double(periodFrames) / 48000 * 1e9 }
    /// More than the last part of a cycle lasts in a loop.
    var jitterNanoseconds: Double { periodNanoseconds / 20 }
    /// Frames that its clock skips.
    var skippedFrames: Int { Self.skippedPeriods * periodFrames }

    /// When the next cycle begins: first it gives up time, then it skips cycles, each once.
    mutating func nextEntry() -> UInt64 {
        if number > 0 { frameTime &+= UInt32(periodFrames) }
        if number == between { dueNanoseconds += Self.lateNanoseconds }
        if number == 2 * between {
            frameTime &+= UInt32(skippedFrames)
            dueNanoseconds += Double(Self.skippedPeriods) * periodNanoseconds
        }
        number += 1
        defer { dueNanoseconds += periodNanoseconds }
        return UInt64(dueNanoseconds + Double.random(in: 0...jitterNanoseconds, using: &generator))
    }
}

@Suite("The gaps of a tap whose blocks are no whole cycles")
struct TapCycleTests {
    /// - Returns: the gaps that are known, and the position behind the last block that came.
    private func take(_ stream: inout TapStream) -> (gaps: [Gap], position: UInt64) {
        var (gaps, position) = ([Gap](), UInt64(0))
        while let step = stream.next() {
            switch step {
            case .gap(let gap): gaps.append(gap)
            case .block(let tapped): position = tapped.block.position + UInt64(tapped.block.frames)
            }
        }
        return (gaps, position)
    }

    private func expectLate(_ gaps: [Gap], _ server: JitteryServer) {
        let late = gaps.filter { $0.cause == .late }.map { Double($0.lengthNanoseconds) }
        #expect(late.count == 1, "\(gaps.count) gaps")
        let limit = server.jitterNanoseconds
        #expect(late.allSatisfy { abs($0 - JitteryServer.lateNanoseconds) <= limit }, "\(late)")
    }

    @Test(arguments: [(256, 4), (1024, 31)])
    func `are what the server lost, where a short loop cuts each cycle`(periodFrames: Int, loopFrames: Int) throws {
        let tap = Tap(channels: 1, capacity: 1 << 16)
        var stream = TapStream(tap.reader(capacity: 1 << 16))
        let delay = DelayState(channels: 1, frames: loopFrames, maximumFrames: loopFrames)
        let nodes = [
            PlanNode(.input, channels: 1), PlanNode(.output(channels: 1), channels: 1),
            PlanNode(.mixer, channels: 1, tap: tap.writer), PlanNode(.delay(Cell(delay)), channels: 1),
            PlanNode(.gain(0.5), channels: 1),
        ]
        let edges = [
            PlanEdge(from: 0, to: 2), PlanEdge(from: 2, to: 1), PlanEdge(from: 2, to: 3), PlanEdge(from: 3, to: 4),
            PlanEdge(from: 4, to: 2),
        ]
        let plan = Cell(try PlanBuilder.plan(nodes, edges, rampFrames: 0))
        var unit = RenderUnit(.none, keeping: [plan], inputs: 1, outputs: 1)
        unit.begin(plan.pointer, rampMilliseconds: 0, run: TapRun(sampleRate: 48000))

        var server = JitteryServer(periodFrames: periodFrames, between: 200)
        var gaps: [Gap] = []
        for cycle in 1...600 {
            let entry = server.nextEntry()
            unit.render(frames: periodFrames, frameTime: server.frameTime, entryNanoseconds: entry)
            unit.finish(exitNanoseconds: entry + 1000)
            let (known, position) = take(&stream)
            gaps += known
            if cycle <= server.between { #expect(position == UInt64(cycle * periodFrames), "nothing is held back") }
        }
        stream.finish(withoutServerUntil: nil)
        gaps += take(&stream).gaps
        expectLate(gaps, server)
        #expect(gaps.map(\.cause) == [.late, .skipped])
        #expect(gaps.map(\.endPosition) == [200, 400].map { UInt64($0 * periodFrames) })
        #expect(gaps.last?.lengthFrames == server.skippedFrames)
    }

    @Test(arguments: [(1024, 100), (512, 100), (1024, 441), (64, 1000)])
    func `are what the server lost and a queue did not take, however its buffers lie in the cycles`(
        periodFrames: Int, bufferFrames: Int
    ) {
        let least = QueueGeometry(bufferFrames: bufferFrames, bufferCount: 2).leastCount(periodFrames: periodFrames)
        let rig = QueueRig(frames: bufferFrames, count: least + 1, recordCapacity: 1)
        var stream = TapStream(rig.shaper.tap(capacity: 1 << 17))
        rig.reset()

        var server = JitteryServer(
            periodFrames: periodFrames, between: max(100, 40 * bufferFrames / periodFrames))
        let between = server.between
        // The worker is later than all buffers last.
        let lapse = 3 * between..<3 * between + 3 * (least + 1) * bufferFrames / periodFrames + 3
        let silence = [[Float](repeating: 0, count: periodFrames)]
        var gaps: [Gap] = []
        for number in 0..<lapse.upperBound + between {
            rig.nanoseconds = server.nextEntry()
            rig.frameTime = server.frameTime
            _ = rig.cycle(silence)
            if !lapse.contains(number) { rig.work() }
            gaps += take(&stream).gaps
        }
        stream.finish(withoutServerUntil: nil)
        gaps += take(&stream).gaps
        expectLate(gaps, server)
        #expect(rig.dropped > 0 && gaps.allSatisfy { $0.cause == .late || $0.cause == .skipped })
        let skipped = gaps.filter { $0.cause == .skipped }.map(\.lengthFrames)
        #expect(skipped.reduce(0, +) == server.skippedFrames + rig.dropped, "\(skipped), dropped \(rig.dropped)")
        #expect(skipped.first == server.skippedFrames)
    }
}

import AudioFigures
import AudioIO
import AudioMeasurement
import AudioRealtime
import Jack
import Synchronization
import Threads

extension Section {
    static let measurement = Section(
        name: "measurement",
        introduction: """
            What measuring costs. A value recorded in a histogram, against a loop that adds the same values up. Then
            all that the audio thread does for it, which no unit goes without: two looks at the clock and a record
            into a ring, in a loop, and once at a time from cold caches (after 16 MiB of other memory were read).
            Then the unit on a server, with somebody who analyses and logs every cycle, in turns of half a second with
            nobody.
            p50, p90: microseconds from a callback's start to its end.
            """
    ) { _ in try recording() + stamping() + listening() }

    private static func recording() -> [Goal] {
        var state: UInt64 = 1
        let values = (0..<1 << 16).map { _ -> Int64 in
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return 1_333_000 + Int64(state >> 48)
        }
        var histogram = Histogram()
        var signed = SignedHistogram()
        var sum: Int64 = 0
        let race = Race(
            [
                Contender { for index in 0..<$0 { histogram.record(values[index & 0xffff]) } },
                Contender { for index in 0..<$0 { signed.record(values[index & 0xffff] - 1_365_000) } },
                Contender { for index in 0..<$0 { sum &+= values[index & 0xffff] } },
            ], roundNanoseconds: 1_000_000, rounds: 300)
        // Or the loops would be left out.
        precondition(histogram.count > 0 && signed.count > 0 && sum != 0)
        let names = ["histogram", "signed histogram", "sum"]
        print(Table(["record", "ns"], names.enumerated().map { [$1, race.nanoseconds($0).text(2)] }).text)
        return [
            // The compiler adds eight values at once; a histogram has a place to find for each.
            Goal("a value recorded, ratio to a sum", race.ratio(0, to: 2), atMost: 20, digits: 1),
            Goal("a signed value recorded, ratio to a sum", race.ratio(1, to: 2), atMost: 32, digits: 1),
        ]
    }

    private static func stamping() -> [Goal] {
        let loop = StampLoop()
        var last: UInt64 = 0
        let clock = Contender { for _ in 0..<2 * $0 { last = MonotonicClock.nanoseconds() } }
        let race = Race([loop.contender(), clock])
        precondition(last > 0)
        // What it takes to time anything from there is taken off.
        let cold = Race(
            [loop.contender(rest: Cache.displace), Contender(run: { _ in }, rest: Cache.displace)],
            roundNanoseconds: 0, rounds: 500)
        let times = [
            ("in a loop", race.nanoseconds(0)), ("of that, two looks at the clock", race.nanoseconds(1)),
            ("from cold caches", cold.nanoseconds(0) - cold.nanoseconds(1)),
        ]
        print("\n" + Table(["stamps and record of a cycle", "ns"], times.map { [$0, $1.text(0)] }).text)
        return [
            Goal("what measuring adds to a cycle, ratio to two looks at the clock", race.ratio(0, to: 1), atMost: 2)
        ]
    }

    private static func listening() throws -> [Goal] {
        let server = try Server()
        defer { server.stop() }
        var configuration = UnitConfiguration()
        configuration.serverName = server.name
        let unit = try IOUnit(configuration)
        try unit.start()
        defer { unit.stop() }
        let facts = server.configuration
        let mode = CycleFile.Mode(
            kind: .callback, name: "callback", sampleRate: facts.sampleRate, periodFrames: facts.periodFrames)
        let writer = try CycleWriter(path: "/dev/null")
        let number = writer.add(mode)
        let analysis = Shared(CallbackAnalysis(mode))
        let listener: @Sendable ([CycleRecord]) -> Void = { records in
            analysis.value.withLock { $0.add(records) }
            writer.write(records, mode: number)
        }
        var durations: [Bool: [Double]] = [:]
        var medians: [Bool: [Double]] = [:]
        for turn in 0..<60 {
            // Back and forth, as in a race.
            let isOn = turn % 4 == 1 || turn % 4 == 2
            unit.onCycles(isOn ? listener : nil)
            let begin = MonotonicClock.nanoseconds()
            MonotonicClock.sleep(milliseconds: 500)
            let cycles = unit.recentCycles.filter { $0.entryNanoseconds > begin }
            let turn = cycles.map { Double($0.exitNanoseconds - $0.entryNanoseconds) }
            durations[isOn, default: []] += turn
            medians[isOn, default: []].append(turn.median)
        }
        try writer.finish()
        let on = durations[true] ?? []
        let off = durations[false] ?? []
        let rows = [("somebody listens", on), ("nobody listens", off)].map {
            [$0, "\($1.count)", ($1.median / 1000).text(3), ($1.percentile(90) / 1000).text(3)]
        }
        print("\n" + Table(["callback", "cycles", "p50", "p90"], rows).text)
        // Each turn against its neighbour: what else goes on in the machine changes from one second to the next.
        let pairs = Array(zip(medians[true] ?? [], medians[false] ?? []))
        return [
            Goal("callback that is listened to, ratio to one that is not", pairs.map { $0 / $1 }.median, atMost: 1.1)
        ]
    }
}

private final class Shared<Value: Sendable>: Sendable {
    let value: Mutex<Value>
    init(_ value: Value) { self.value = Mutex(value) }
}

/// A callback that is measured and does nothing else.
private final class StampLoop {
    private let unit: Cell<RenderUnit>
    private var records: Consumer<CycleRecord>

    init() {
        let ring = Ring<CycleRecord>(capacity: 65536)
        unit = Cell(RenderUnit(.none, records: ring.producer))
        records = ring.consumer
    }

    func contender(rest: @escaping () -> Void = {}) -> Contender {
        Contender(
            run: { count in
                for _ in 0..<count {
                    let entry = MonotonicClock.nanoseconds()
                    self.unit.pointer.pointee.render(frames: 64, frameTime: 0, entryNanoseconds: entry)
                    self.unit.pointer.pointee.finish(exitNanoseconds: MonotonicClock.nanoseconds())
                }
            },
            rest: {
                while self.records.pop() != nil {}
                rest()
            })
    }
}

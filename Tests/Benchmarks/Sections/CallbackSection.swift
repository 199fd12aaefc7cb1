import AudioDSP
import AudioRealtime
import Jack
import TestSupport

extension Section {
    static let callback = Section(
        name: "callback",
        introduction: """
            What a cycle of 64 frames and 2 channels costs. First in a loop of our own in place of libjack: stamps,
            commands, input copy, gain and cubic, meters, output copy, telemetry. Then on a server, beside a C client
            that does gain and cubic and stamps and nothing else, in both orders of start: there other programs have
            used the caches since the last cycle. Both ask JACK for four port buffers; how long JACK takes for that is
            noted in the client, and taken off for the unit's own time.
            µs: median time of a cycle in the loop; from cold caches: after 16 MiB of other memory were read.
            p50, p99: microseconds from a callback's start to its end.
            """
    ) { workshop in
        let still = RenderLoop()
        let moving = RenderLoop()
        let tapped = RenderLoop(isTapped: true)
        var madeUp = ShaperSetting.cubic
        madeUp.hasMakeUpGain = true
        let (one, many) = (RenderLoop(parameters: madeUp), RenderLoop(parameters: madeUp))
        func drive(_ number: Int) -> Command { .drive(1 + Float(number % 7)) }
        let race = Race([
            still.contender(),
            moving.contender { [.gain($0 % 2 == 0 ? 0.9 : 1.1)] },
            tapped.contender(),
            one.contender { [drive($0)] },
            many.contender { cycle in (0..<32).map { drive(cycle + $0) } },
            shaperAlone(64),
        ])
        let cold = Race([still.contender(rest: Cache.displace)], roundNanoseconds: 0, rounds: 500)
        let times = [
            ("at rest", race.nanoseconds(0)), ("a change of gain in each cycle", race.nanoseconds(1)),
            ("a tap is read", race.nanoseconds(2)),
            ("make-up gain, a change of drive in each cycle", race.nanoseconds(3)),
            ("make-up gain, 32 of them", race.nanoseconds(4)),
            ("at rest, from cold caches", cold.nanoseconds(0)),
        ]
        print(Table(["in the loop", "µs"], times.map { [$0, ($1 / 1000).text(3)] }).text)

        let server = try Server()
        defer { server.stop() }
        var unit: [Double] = []
        var client: [Double] = []
        var searches: [Double] = []
        for unitIsFirst in [true, false] {
            let pair = try SideBySide(on: server, unitIsFirst: unitIsFirst, cycles: 3750, workshop)
            unit += pair.unit.durations
            client += pair.client.durations
            searches += pair.client.searches
        }
        let rows = [("unit", unit), ("C client", client), ("of that, JACK's search for buffers", searches)].map {
            [$0, "\($1.count)", $1.percentile(50).text(2), $1.percentile(99).text(2)]
        }
        print("\n" + Table(["on a server", "cycles", "p50", "p99"], rows).text)
        return [
            Goal(
                "callback, 64 frames, 2 channels, in the loop, ratio to the shaper alone", race.ratio(0, to: 5),
                atMost: 4.5),
            // What it takes to send the others is in it. They arrive as one.
            Goal(
                "callback with 32 changes of drive, make-up gain, and sending them, ratio to one change",
                race.ratio(4, to: 3), atMost: 4),
            Goal("callback on a server, own time, median", (unit.median - searches.median).text(2) + " µs"),
            Goal("callback on a server, median, ratio to a C client", unit.median / client.median, atMost: 2.5),
        ]
    }
}

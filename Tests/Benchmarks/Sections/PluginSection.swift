import AudioIO
import AudioPlugins
import AudioRealtime
import Foundation
import Jack

extension Section {
    static let plugins = Section(
        name: "plugins",
        introduction: """
            What hosting adds: a plan of input, plug-in and output, less the same plan without the plug-in, against a loop in C
            (clang -O3) that calls the run() of another instance on the same sound; one instance, as many channels as it has.
            run: nanoseconds for a block in C; added: by the node; medians. ratio: median of (plan − empty plan) / run in each
            turn. The passing plug-in only hands its input on; busy, it takes 5 µs; twice, two nodes of it stand against one run.
            Then eight plug-ins of one channel in a row on a server in sync mode, 64 frames: as nodes of one unit, and as eight
            jalv, between two more clients that take the time. path: from the first one's end to the last one's start in one
            cycle, µs; processor: of the unit's audio thread, and of the processes of jalv, per cycle, µs; load: JACK's, %.
            Medians of three runs each, in turn. hop: what each of seven more clients adds to the path, µs.
            """
    ) { workshop in
        try hosting(workshop) + chains(workshop)
    }

    /// Light ones and heavy ones, of one or two channels, that any host can run.
    private static let hosted = [
        "amp-swh/amp", "foverdrive-swh/foverdrive", "dj_eq-swh/dj_eq_mono", "fomp/autowah", "fomp/cs_chorus1",
        "fomp/reverb", "mda/RingMod", "mda/Overdrive", "mda/Ambience", "mda/MultiBand", "sapistaEQv2/compressor",
        "sapistaEQv2/eq10qm", "sapistaEQv2/eq10qs", "sc4-swh/sc4",
    ]

    private static func hosting(_ workshop: Workshop) throws -> [Goal] {
        let twins = try Twins(at: workshop.twins)
        let planted = try PluginList(path: workshop.plugins.path)
        var rows: [[String]] = []
        var goals: [Goal] = []
        func race(_ name: String, _ shown: String, _ frames: Int, busy: Double = 0, nodes: Int = 1) throws -> Double {
            let list = busy > 0 || name == Self.passing ? planted : nil
            func node() throws -> Plugin {
                let plugin = try Plugin(name, in: list)
                if busy > 0 { try plugin.parameters.first { $0.info.name == "busy" }?.set(.number(busy)) }
                return plugin
            }
            let made = try (0..<nodes).map { _ in try node() }
            let channels = max(made[0].info.inputs, made[0].info.outputs)
            let format = NodeFormat(channels: channels, sampleRate: 48_000, rampMilliseconds: 10, hasWorkers: false)
            let plan = PlanLoop(
                row: made.map { $0.core.driver.makeBody(format) }, channels: channels, frames: frames)
            if let failure = made[0].failure { throw failure }
            let empty = PlanLoop(row: [], channels: channels, frames: frames)
            let twin = try PluginTwin(made[0], frames: frames, twins)
            let race = Race([plan.contender, empty.contender, twin.contender], roundNanoseconds: 50_000)
            let ratio = race.median { ($0[0] - $0[1]) / $0[2] }
            rows.append([
                shown, "\(frames)", race.nanoseconds(2).text(0), race.median { $0[0] - $0[1] - $0[2] }.text(0),
                ratio.text(2),
            ])
            withExtendedLifetime(made) {}
            return ratio
        }
        for frames in [64, 256] {
            _ = try race(passing, "passing", frames)
            _ = try race(passing, "passing, busy", frames, busy: 5)
            let twice = try race(passing, "passing, busy, twice", frames, busy: 5, nodes: 2)
            goals.append(
                Goal("planted: two busy plug-ins against one run, \(frames) frames", abs(twice - 2), atMost: 0.1))
            for name in hosted {
                goals.append(
                    Goal("hosting \(name), \(frames) frames, node to run()", try race(name, name, frames), atMost: 1.05)
                )
            }
        }
        print(Table(["plug-in", "frames", "run", "added", "ratio"], rows).text)
        return goals
    }

    static let passing = "urn:iounit:passing"

    /// Of one channel, and of three packages.
    private static let eight = [
        "fomp/autowah", "amp-swh/amp", "dj_eq-swh/dj_eq_mono", "foverdrive-swh/foverdrive", "gate-swh/gate",
        "single_para-swh/singlePara", "sapistaEQv2/eq10qm", "sapistaEQv2/compressor",
    ]

    private static func chains(_ workshop: Workshop) throws -> [Goal] {
        guard FileManager.default.isExecutableFile(atPath: PluginChain.jalv) else {
            print("\njalv is not installed, so nothing is held against it; Tools/setup --peers installs it")
            return []
        }
        var configuration = ServerConfiguration()
        configuration.isSync = true
        let server = try Server(configuration)
        defer { server.stop() }
        let passing = Array(repeating: Self.passing, count: 8)
        let chains = [
            ("passing", PluginChain(passing, busy: 0, workshop)),
            ("passing, 5 µs each", PluginChain(passing, busy: 5, workshop)),
            ("of three packages", PluginChain(eight, busy: 0, workshop)),
        ]
        var rows: [[String]] = []
        var paths: [(unit: Double, clients: Double)] = []
        var goals: [Goal] = []
        for (name, chain) in chains {
            var (unit, clients): ([PluginChain.Cost], [PluginChain.Cost]) = ([], [])
            for _ in 0..<3 {
                unit.append(try chain.inOneUnit(on: server))
                clients.append(try chain.asClients(on: server))
            }
            func median(_ costs: [PluginChain.Cost], _ value: (PluginChain.Cost) -> Double) -> Double {
                costs.map(value).median
            }
            for (host, costs) in [("one unit", unit), ("eight jalv", clients)] {
                rows.append([
                    "\(name), \(host)", median(costs, \.pathMicroseconds).text(1),
                    median(costs, \.processorMicroseconds).text(1), median(costs, \.load).text(2),
                ])
            }
            func ratio(_ value: (PluginChain.Cost) -> Double) -> Double {
                zip(unit, clients).map { value($0) / value($1) }.median
            }
            let hop = zip(unit, clients).map { ($1.pathMicroseconds - $0.pathMicroseconds) / 7 }.median
            rows.append(["\(name), hop", hop.text(1), "", ""])
            paths.append((median(unit, \.pathMicroseconds), median(clients, \.pathMicroseconds)))
            goals += [
                Goal("eight plug-ins (\(name)), path, one unit to eight jalv", ratio(\.pathMicroseconds).text(2)),
                Goal("  processor", ratio(\.processorMicroseconds).text(2)),
                Goal("  JACK's load", ratio(\.load).text(2)),
            ]
        }
        print("\n" + Table(["on a server", "path", "processor", "load"], rows).text)
        // What was planted is found by both.
        goals += [
            Goal("planted: 40 µs in one unit's path", "\((paths[1].unit - paths[0].unit).text(1)) µs"),
            Goal("planted: 40 µs in the path of eight jalv", "\((paths[1].clients - paths[0].clients).text(1)) µs"),
        ]
        return goals
    }
}

extension Workshop {
    /// Where the plug-ins of these benchmarks lie.
    var plugins: URL { twins.appendingPathComponent("lv2") }
}

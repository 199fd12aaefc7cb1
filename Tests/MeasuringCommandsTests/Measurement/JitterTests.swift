import CommandTestSupport
import Foundation
import Jack
import TestSupport
import Testing

@Suite("iounit jitter")
struct JitterTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test func `why the latency is not known is said where the server has no ports for the signal`() throws {
        // Of 16 ports the dummy backend has 4, and five channels have 10.
        try "#!/bin/sh\nexec /usr/bin/jackd -n \"$2\" -r -p 16 -d dummy -r 48000 -p 64\n".write(
            toFile: folder("jackd"), atomically: true, encoding: .utf8)
        try #require(chmod(folder("jackd"), 0o755) == 0)
        let run = try CommandRun.run(
            "jitter", "--dummy", "--channels", "5", "--seconds", "0.3", "--warmup", "0", "--limit", "latency=100",
            environment: ["PATH": "\(folder.path):/usr/bin:/bin"])
        #expect(run.code == 1 && run.err.contains("the latency of callback is not known: "), "\(run.err)\(run.out)")
    }

    @Test(arguments: [false, true])
    func `the figures of a run fit each other`(_ isSync: Bool) throws {
        let run = try CommandRun(
            [
                "jitter", "--dummy", "--rate", "44100", "--period", "128", "--seconds", "0.6", "--warmup", "0.1",
                "--json", "--baseline", "--blame",
            ] + (isSync ? ["--sync"] : []))
        #expect(try run.end() == 0)
        let measured = try Measured(run.out)
        #expect(measured.report["schema"] as? String == "iounit.jitter/2" && measured.end == "done")
        #expect(measured.report["warmupSeconds"] as? Double == 0.1)
        #expect((measured.report["server"] as? [String: Any])?["sync"] as? Bool == isSync)
        #expect(measured.names == ["callback"])

        let nominal = 128.0 / 44100 * 1e9
        #expect(abs(try measured.number(0, "nominalNanoseconds") - nominal) < 1e-6)
        let cycles = try measured.number(0, "callbacks")
        let seconds = try #require(measured.report["seconds"] as? Double)
        let told = cycles * nominal + (try measured.number(0, "lostNanoseconds"))
        #expect((0.5...1.25).contains(told / seconds / 1e9), "what was rendered and what was lost is the whole run")
        #expect(try measured.number(0, "callbackTime", "count") == cycles)
        if try measured.number(0, "lostRecords") == 0 {
            #expect(try measured.number(0, "interval", "count") == cycles - 1)
        }
        #expect(try measured.number(0, "deviation", "count") == measured.number(0, "interval", "count"))
        for name in ["interval", "deviation", "signedDeviation", "callbackTime"] {
            let count = try measured.number(0, name, "count")
            let statistics = ["min": 1.0, "p50": 1, "p90": 10, "p99": 100, "p999": 1000, "p9999": 10000, "max": 1]
            for (statistic, least) in statistics {
                let value = try #require(measured.distribution(0, name)[statistic], "\(name).\(statistic)")
                #expect((value is NSNull) == (count < least), "\(name).\(statistic) of \(count) is \(value)")
            }
            let ranks = try ["min", "p50", "p90", "p99", "p999", "p9999", "max"].compactMap {
                try measured.distribution(0, name)[$0] as? Double
            }
            #expect(ranks == ranks.sorted(), "\(name)")
            let mean = try measured.number(0, name, "mean")
            #expect(try #require(ranks.first) <= mean && mean <= #require(ranks.last), "\(name)")
        }
        let early = try measured.number(0, "signedDeviation", "min")
        let late = try measured.number(0, "signedDeviation", "max")
        #expect(try measured.number(0, "deviation", "max") == max(-early, late))
        #expect(abs(try measured.number(0, "interval", "max") - nominal - late) <= 1)
        let longest = try measured.number(0, "callbackTime", "max")
        #expect(abs(try measured.number(0, "load", "max") - longest / nominal) < 1e-6)
        // Sound comes out in the cycle in which it went in.
        #expect(try measured.number(0, "declaredLatencyFrames") == 0)
        if let found = measured.modes[0]["latencyFrames"] as? Double { #expect(abs(found) < 0.1) }

        let timer = try #require(measured.report["baseline"] as? [String: Any])
        #expect(abs(try #require(timer["nominalNanoseconds"] as? Double) - nominal) < 1e-6)
        #expect(try #require(timer["wakeups"] as? Double) > 10)
    }

    @Test func `the table has the figures in rows and ends with one sentence`() throws {
        let run = try CommandRun.run("jitter", "--dummy", "--seconds", "0.4", "--baseline", "--blame")
        #expect(run.code == 0)
        // A run that is shorter than the usual warm-up is preceded by one of its own length.
        #expect(run.out.contains(" s after 0.4 s of warm-up"))
        for row in [
            "nominal interval", "interval min", "interval max", "deviation p50", "deviation p99",
            "deviation max", "callback time p50", "lost time", "xruns", "late: wakeup", "latency measured",
            "declared latency", "CPU per callback", "lost records",
        ] {
            #expect(run.out.contains("\n\(row) "), "\(row)")
        }
        let heading = try #require(
            run.out.split(separator: "\n").first { $0.contains("callback") && $0.contains("timer") })
        #expect(heading.hasSuffix("timer"))
        let sentence = try #require(run.out.components(separatedBy: "\n\n").last)
        #expect(sentence.hasPrefix("The callback came every 1.333 ms within") && sentence.hasSuffix(".\n"))
        #expect(!run.err.contains("measuring"), "a short run makes no noise: \(run.err)")
    }

    @Test func `a period that changes is told, and each part measured against its own`() throws {
        let server = try Server()
        defer { server.stop() }
        let run = try TerminalRun(
            ["jitter", "--server", server.name, "--seconds", "5", "--warmup", "0.2", "--json"])
        let other = try Client(name: "other", server: server.name).activate()
        try run.waitUntilMeasuring()
        try other.setPeriod(frames: 1024)
        #expect(try run.end() == 0)
        let measured = try Measured(run.out)
        let parts = try #require(measured.modes[0]["parts"] as? [[String: Any]])
        #expect(parts.map { $0["frames"] as? Int } == [64, 1024])
        for (part, nominal) in zip(parts, [64.0 / 48000 * 1e9, 1024.0 / 48000 * 1e9]) {
            let number = try #require((part["nominalNanoseconds"] as? NSNumber)?.doubleValue)
            #expect(abs(number - nominal) < 1)
            let deviation = try #require(part["deviation"] as? [String: Any])
            // Against the other part's period it would be 20 ms; a busy machine makes many of the short ones late.
            #expect(try #require((deviation["p50"] as? NSNumber)?.doubleValue) < 10e6)
        }
        let verdict = try #require(measured.report["verdict"] as? String)
        #expect(verdict.contains("every 1.333 ms, then every 21.33 ms (the period changed once)"), "\(verdict)")
    }

    /// Two rounds of the probe's signal take 3 s here, and its clients 6 s to come and go.
    @Test func `at a long period the latency is measured as well, and no server is said to hold us`() throws {
        let run = try CommandRun.run(
            "jitter", "--dummy", "--sync", "--rate", "22050", "--period", "8192", "--cycles", "2", "--warmup", "0",
            "--json")
        #expect(run.code == 0 && !run.err.contains("does not let us go"), "\(run.err)")
        let measured = try Measured(run.out)
        #expect(abs(try measured.number(0, "latencyFrames")) < 0.1)
    }

    @Test func `a number of callbacks ends the run, and shortens the warm-up`() throws {
        let run = try CommandRun.run("jitter", "--dummy", "--cycles", "150", "--json")
        #expect(run.code == 0)
        let measured = try Measured(run.out)
        #expect(try measured.number(0, "callbacks") >= 150)
        #expect(measured.report["warmupSeconds"] as? Double == 0.2)
        let long = try CommandRun.run("jitter", "--dummy", "--cycles", "150", "--warmup", "0.3")
        #expect(long.code == 64)
        #expect(long.err.contains("a run of 0.20 s is shorter than its warm-up of 0.30 s"), "\(long.err)")
    }

    @Test func `a limit that nothing can exceed is refused`() throws {
        let run = try CommandRun.run("jitter", "--blame", "--limit", "upstream=0")
        #expect(run.code == 64 && run.err.contains("nobody is before the unit of jitter"), "\(run.err)")
    }

    @Test func `limits that are met leave 0, and those that are not leave 1 and are listed`() throws {
        let met = try CommandRun.run(
            "jitter", "--dummy", "--sync", "--seconds", "0.2", "--warmup", "0", "--json", "--limit", "p50=10s",
            "--limit",
            "callback.latency=10ms", "--limit", "load=100000%", "--limit", "interval.min=10s")
        #expect(met.code == 0, "\(met.out)")
        let results = try #require(try Measured(met.out).report["limits"] as? [[String: Any]])
        #expect(
            results.map { $0["limit"] as? String } == [
                "p50=10s", "callback.latency=10ms", "load=100000%", "interval.min=10s",
            ])
        #expect(results.allSatisfy { $0["isMet"] as? Bool == true && $0["mode"] as? String == "callback" })
        #expect(results.map { $0["unit"] as? String } == ["s", "ms", "%", "s"])

        let words = [
            "jitter", "--dummy", "--seconds", "0.2", "--warmup", "0", "--limit", "p50=10s", "--limit", "mean=1ns",
        ]
        let run = try CommandRun(words)
        #expect(try run.end() == 1)
        #expect(run.out.contains("met       p50=10s") && run.out.contains("EXCEEDED  mean=1ns"), "\(run.out)")
        let sentence = run.out.replacing("\n", with: " ")
        #expect(sentence.contains("1 of 2 limits was not met: mean=1ns in callback"), "\(run.out)")
        let json = try CommandRun(words + ["--json"])
        #expect(try json.end() == 1)
        let measured = try Measured(json.out)
        let exceeded = try #require((measured.report["limits"] as? [[String: Any]])?.last)
        #expect(exceeded["isMet"] as? Bool == false)
        #expect(exceeded["measured"] as? Double == (try measured.number(0, "deviation", "mean")))
        #expect((measured.report["verdict"] as? String)?.contains("mean=1ns") == true)
    }

    @Test func `a server that runs is measured as it is`() throws {
        var configuration = ServerConfiguration()
        configuration.sampleRate = 44100
        configuration.periodFrames = 256
        let server = try Server(configuration)
        defer { server.stop() }
        let other = try CommandRun(["monitor", "--server", server.name, "--seconds", "30"])
        try other.wait(until: "the first line") { other.err.contains("peak") }
        let run = try CommandRun.run("jitter", "--server", server.name, "--seconds", "0.4", "--warmup", "0", "--json")
        other.send(SIGINT)
        #expect(try other.end() == -SIGINT)
        #expect(run.code == 0, "\(run.err)")
        let measured = try Measured(run.out)
        #expect(abs(try measured.number(0, "nominalNanoseconds") - 256.0 / 44100 * 1e9) < 1e-6)
        let facts = try #require(measured.report["server"] as? [String: Any])
        #expect(facts["name"] as? String == server.name)
        #expect(facts["backend"] is NSNull && facts["sync"] is NSNull, "what JACK does not tell is null")
    }
}

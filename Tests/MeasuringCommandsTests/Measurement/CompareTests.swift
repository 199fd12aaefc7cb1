import CommandTestSupport
import Foundation
import Jack
import TestSupport
import Testing

@Suite("iounit compare")
struct CompareTests {
    @Test func `several queues are measured beside callback mode, and each latency is what its buffers make`() throws {
        // Here and below in sync mode, where a machine that stalls leaves the frame clock whole, and latencies measurable.
        let run = try CommandRun.run(
            "compare", "--dummy", "--sync", "--seconds", "1", "--warmup", "0.2", "--json", "--queue", "96",
            "--queue", "1920B", "--queue", "5ms", "--queue", "96", "--queue-buffers", "4", "--queue-format",
            "float",
            "--queue-realtime", "--limit", "queued.interval.min=10s")
        #expect(run.code == 0, "\(run.err)")
        let measured = try Measured(run.out)
        #expect(measured.report["schema"] as? String == "iounit.compare/2")
        #expect(measured.names == ["callback", "queued 96", "queued 240", "queued 240 (2)", "queued 96 (2)"])
        #expect(measured.report["isSequential"] as? Bool == false)
        for (index, frames) in [96, 240, 240, 96].enumerated() {
            let mode = index + 1
            #expect(try measured.number(mode, "bufferFrames") == Double(frames))
            #expect(try measured.number(mode, "bufferCount") == 4)
            #expect(measured.modes[mode]["format"] as? String == "float")
            #expect(abs(try measured.number(mode, "nominalNanoseconds") - Double(frames) / 48000 * 1e9) < 1e-6)
            let latency = 3 * Double(frames)
            #expect(try measured.number(mode, "declaredLatencyFrames") == latency)
            // On a machine that stalls a queue runs dry, and its latency is another for a while.
            guard try measured.number(mode, "droppedFrames") + measured.number(mode, "insertedFrames") == 0 else {
                continue
            }
            if let found = measured.modes[mode]["latencyFrames"] as? Double { #expect(abs(found - latency) < 0.1) }
            // Where the machine stands still for long, one may have had its cycles and the other not yet.
            let longest = try [0, mode].map { try measured.number($0, "interval", "max") }
            guard longest.allSatisfy({ $0 < 0.1e9 }) else { continue }
            let ratio = try measured.number(mode, "callbacks") * Double(frames) / (measured.number(0, "callbacks") * 64)
            #expect((0.7...1.3).contains(ratio), "both modes had the same time")
        }
        if let found = measured.modes[0]["latencyFrames"] as? Double { #expect(abs(found) < 0.1) }
        let limits = try #require(measured.report["limits"] as? [[String: Any]])
        #expect(limits.map { $0["mode"] as? String } == Array(measured.names.dropFirst()), "one result for each queue")
    }

    @Test func `the table puts the modes side by side and says in one sentence what it means`() throws {
        let run = try CommandRun.run("compare", "--dummy", "--sync", "--seconds", "0.8", "--warmup", "0.1")
        #expect(run.code == 0)
        let lines = run.out.split(separator: "\n")
        let heading = try #require(lines.first { $0.contains("callback  ") && $0.contains("queued 512") })
        #expect(heading.hasSuffix("queued 512"))
        // The same from run to run, whatever was measured.
        for (row, unit) in [
            ("nominal interval", "µs"), ("interval min", "µs"), ("interval max", "µs"), ("deviation p50", "µs"),
            ("deviation p99", "µs"), ("deviation max", "µs"), ("latency measured", "frames"),
            ("latency measured", "ms"), ("declared latency", "frames"), ("dropped input", "frames"),
            ("inserted silence", "frames"), ("CPU per callback", "µs"), ("lost time", "µs"),
        ] {
            #expect(lines.contains { $0.hasPrefix("\(row) ") && $0.hasSuffix(unit) }, "\(row) in \(unit): \(run.out)")
        }
        // The usual queue is a whole number of periods, so that nothing of its deviation is arithmetic.
        #expect(!run.out.contains("arithmetic"), "\(run.out)")
        let sentence = try #require(run.out.components(separatedBy: "\n\n").last)
        #expect(sentence.hasPrefix("Callback mode was ") && sentence.hasSuffix(".\n"), "\(sentence)")
    }

    @Test(arguments: [(64, 512), (256, 512), (480, 960), (512, 1024), (2048, 4096)])
    func `the usual queue is whole periods, 10 ms or more`(_ period: Int, _ frames: Int) throws {
        let run = try CommandRun.run(
            "compare", "--dummy", "--sync", "--period", "\(period)", "--seconds", "0.3", "--warmup", "0", "--json")
        #expect(run.code == 0, "\(run.err)")
        let measured = try Measured(run.out)
        #expect(measured.names == ["callback", "queued \(frames)"])
        #expect(measured.modes[0]["arithmeticDeviation"] is NSNull)
        guard try measured.number(1, "deviation", "count") > 0 else { return }
        #expect(try measured.number(1, "arithmeticDeviation", "max") == 0)
    }

    @Test func `of a queue that is no whole periods the arithmetic is told, and the rest`() throws {
        let run = try CommandRun.run(
            "compare", "--dummy", "--sync", "--seconds", "1", "--warmup", "0.1", "--queue", "480", "--json")
        #expect(run.code == 0, "\(run.err)")
        let measured = try Measured(run.out)
        // Half a period, whatever the machine does; a buffer that was dropped moves the places.
        #expect(abs(try measured.number(1, "arithmeticDeviation", "p50") - 666_667) < 1000)
        #expect(try measured.number(1, "timingDeviation", "count") == measured.number(1, "deviation", "count"))
        let verdict = try #require(measured.report["verdict"] as? String)
        #expect(verdict.contains("arithmetic left out"), "\(verdict)")
        #expect(verdict.contains("without it), as its buffers"), "\(verdict)")
    }

    @Test func `one after another the modes are measured each by itself`() throws {
        let server = try Server()
        defer { server.stop() }
        let run = try CommandRun.run(
            "compare", "--server", server.name, "--sequential", "--seconds", "1", "--warmup", "0", "--json",
            "--queue", "128", "--queue", "200")
        #expect(run.code == 0, "\(run.err)")
        let measured = try Measured(run.out)
        #expect(measured.report["isSequential"] as? Bool == true)
        #expect(measured.names == ["callback", "queued 128", "queued 200"])
        #expect(try #require(measured.report["seconds"] as? Double) >= 3, "the time is the sum")
        for mode in 0..<3 { #expect(try measured.number(mode, "callbacks") > 5) }
    }

    @Test func `a latency that another client keeps from being measured is missing, and why is told`() throws {
        let server = try Server()
        defer { server.stop() }
        let other = try Effect(Effect.Settings(delayFrames: 986), name: "other", on: server)
        let manager = try Client(name: "manager", server: server.name).activate()
        let run = try CommandRun(["compare", "--server", server.name, "--seconds", "2", "--warmup", "0", "--json"])
        try waitUntil("it ends") {
            try? manager.connect("other:out", to: "iounit-signal:in_1")
            return !run.isRunning
        }
        #expect(try run.end() == 0, "\(run.err)")
        let measured = try Measured(run.out)
        for mode in measured.modes { #expect(mode["latencyFrames"] is NSNull) }
        for name in measured.names {
            let sentence =
                "iounit: the latency of \(name) is not known: another client connects other:out with iounit-signal:in_1 again"
            #expect(run.err.contains(sentence), "\(run.err)")
        }
        withExtendedLifetime(other) {}
    }

    @Test func `the preset prints what was published beside what it measured`() throws {
        let run = try CommandRun.run("compare", "--dummy", "--preset", "seed", "--seconds", "1", "--warmup", "0")
        #expect(run.code == 0, "\(run.err)")
        #expect(run.out.contains("2048 frames at 44100 Hz = 46.44 ms"))
        for word in [
            "0.000725623582766", "92.9, one of 105", "varying, one of 7", "queue of 8820 bytes", "queue of 4410 bytes",
        ] {
            #expect(run.out.contains(word), "\(word): \(run.out)")
        }
        let nominal = try #require(run.out.split(separator: "\n").first { $0.hasPrefix("nominal interval") })
        let times = nominal.split(separator: " ").compactMap { Double($0) }
        try #require(times.count == 3, "\(nominal)")
        #expect(abs(times[1] / times[0] - 4410.0 / 32) < 0.5 && abs(times[1] / times[2] - 2) < 0.01, "\(nominal)")
    }

    @Test func `what was measured is kept where a later server cannot be started`() throws {
        let folder = try TemporaryFolder()
        let once = folder("once")
        try "#!/bin/sh\n[ -e '\(once)' ] && exit 1\n>'\(once)'\nexec /usr/bin/jackd \"$@\"\n".write(
            toFile: folder("jackd"), atomically: true, encoding: .utf8)
        try #require(chmod(folder("jackd"), 0o755) == 0)
        let run = try CommandRun.run(
            "compare", "--dummy", "--preset", "seed", "--seconds", "0.5", "--warmup", "0", "--junit", folder("a.xml"),
            "--csv", folder("a.csv"), environment: ["PATH": "\(folder.path):/usr/bin:/bin"])
        #expect(run.code == 69 && run.err.contains("JACK server"), "\(run.err)")
        #expect(run.out.contains("nominal interval"), "\(run.out)")
        #expect(folder.names.contains("a.xml") && folder.names.contains("a.csv"), "\(folder.names)")
    }

    @Test func `a limit on callback mode and one on the queues are held against their own`() throws {
        let run = try CommandRun.run(
            "compare", "--dummy", "--sync", "--seconds", "2", "--warmup", "0", "--limit", "latency=64", "--limit",
            "queued.latency=64")
        #expect(run.code == 1)
        #expect(run.out.contains("met       latency=64         callback"), "\(run.out)")
        #expect(run.out.contains("queued.latency=64  queued 512"), "\(run.out)")
        let words = run.out.replacing("\n", with: " ")
        #expect(words.contains("1 of 2 limits was not met: queued.latency=64 in queued 512"), "\(run.out)")
    }
}

import AudioFigures
import AudioMeasurement
import AudioRealtime
import Foundation
import TestSupport
import Testing
import Threads

@Suite("A log of cycles") struct CycleFileTests {
    private let folder: TemporaryFolder
    private let path: String
    private let modes = [
        CycleFile.Mode(kind: .callback, name: "callback", sampleRate: 48000, periodFrames: 48),
        CycleFile.Mode(kind: .queued, name: "queued 4410", sampleRate: 48000, periodFrames: 48, bufferFrames: 4410),
    ]

    init() throws {
        folder = try TemporaryFolder()
        path = folder("cycles.csv")
    }

    private func log(seed: UInt64, cycles: Int) -> CycleLog {
        var random = SeededGenerator(seed: seed)
        var log = CycleLog()
        for _ in 0..<cycles { log.cycle(late: Int64(random.next() % 900_000) - 200_000) }
        return log
    }

    private func write(_ text: String) throws { try Data(text.utf8).write(to: URL(fileURLWithPath: path)) }

    private func lines(_ lines: String...) throws { try write(lines.joined(separator: "\n") + "\n") }

    private func failure() throws -> FileError? {
        do throws(FileError) {
            _ = try CycleFile.contents(of: path).analyses
            return nil
        } catch {
            return error
        }
    }

    private let format = "# iounit.cycles/1"
    private let mode = "# mode a: kind=callback sampleRate=48000 periodFrames=48"
    /// Of older logs.
    private let columns = "mode,entry_ns,exit_ns,frame_time,frames,position,lost_records"

    @Test func `is read as it was written, whatever the values`() throws {
        var random = SeededGenerator(seed: 41)
        let records = (0..<20_000).map { _ in
            var record = CycleRecord()
            record.entryNanoseconds = random.next() >> (random.next() % 64)
            record.exitNanoseconds = random.next() >> (random.next() % 64)
            record.frameTime = UInt32(truncatingIfNeeded: random.next())
            record.frames = UInt32(truncatingIfNeeded: random.next() >> (random.next() % 64))
            record.position = random.next() >> (random.next() % 64)
            record.lostRecords = random.next() % 3
            record.sampleRate = UInt32(random.next() % 10_000_001)
            return record
        }
        var expected: [[CycleRecord]] = [[], []]
        let writer = try newWriter()
        var rest = records[...]
        while !rest.isEmpty {
            let part = Array(rest.prefix(Int(random.next() % 300)))
            let mode = Int(random.next() % 2)
            writer.write(part, mode: mode)
            expected[mode] += part
            rest = rest.dropFirst(part.count)
        }
        try writer.finish()
        var read: [[CycleRecord]] = [[], []]
        var reader = try CycleReader(path)
        while let batch = try reader.next() { read[batch.mode] += batch.records }
        #expect(read == expected)
        #expect(reader.modes == modes)
    }

    /// One that has named both modes.
    private func newWriter(facts: [(name: String, text: String)] = []) throws -> CycleWriter {
        let writer = try CycleWriter(path: path, replacing: true)
        for fact in facts { writer.note(fact.name, fact.text) }
        for mode in modes { _ = writer.add(mode) }
        return writer
    }

    @Test func `may name a mode after the callbacks of another`() throws {
        let writer = try CycleWriter(path: path, replacing: true)
        let records = log(seed: 45, cycles: 20).records
        for mode in modes { writer.write(records, mode: writer.add(mode)) }
        try writer.finish()
        #expect(try CycleFile.contents(of: path).analyses.map(\.report.cycles) == [20, 20])
    }

    @Test func `may name a mode after the last callback, or have no callback at all`() throws {
        try lines(format, mode, columns, "a,1,2,3,4,5,6", mode.replacing("mode a", with: "mode b"))
        #expect(try CycleFile.contents(of: path).analyses.map(\.cycles) == [1, 0])
        try lines(format, mode, columns)
        #expect(try CycleFile.contents(of: path).analyses.map(\.cycles) == [0])
    }

    @Test func `is reported with callback mode first, wherever that stands in it`() {
        let analyses = [CallbackAnalysis(modes[1]), CallbackAnalysis(modes[0])]
        let report = Report(log: path, of: analyses, server: nil, host: nil, schema: "iounit.compare/2")
        #expect(report.modes.map(\.name) == ["callback", "queued 4410"])
    }

    @Test func `has a summary, which is taken where a run can have had all of its figures`() throws {
        func dropped(_ figures: String) throws -> UInt64? {
            var mode = CallbackAnalysis(modes[1]).report
            let text = "{\"droppedFrames\":7,\(figures)}"
            mode.add(try JSONDecoder().decode(ModeSummary.self, from: Data(text.utf8)))
            return mode.droppedFrames
        }
        #expect(try dropped(#""bufferCount":2,"format":"float","latencyFrames":-0.01,"declaredLatencyFrames":-1"#) == 7)
        for figure in [
            #""format":"<i>""#, #""bufferCount":-1"#, #""latencyErrorFrames":-0.5"#, #""latencyFrames":1e15"#,
            #""cpuNanosecondsPerCallback":-1"#, #""contextSwitchesPerSecond":{"voluntary":1,"involuntary":-1}"#,
        ] {
            #expect(try dropped(figure) == nil, "\(figure)")
        }
    }

    @Test func `gives the figures of the run again`() throws {
        let logs = [log(seed: 42, cycles: 3000), log(seed: 43, cycles: 1000)]
        let writer = try newWriter(facts: [("kernel", "6.1\nroot,\"x\"")])
        var expected: [CallbackAnalysis] = []
        for (index, log) in logs.enumerated() {
            writer.write(log.records, mode: index)
            var analysis = CallbackAnalysis(modes[index])
            analysis.add(log.records)
            expected.append(analysis)
        }
        try writer.finish()
        let analyses = try CycleFile.contents(of: path).analyses
        #expect(analyses.count == 2)
        for (analysis, expected) in zip(analyses.map(\.report), expected.map(\.report)) {
            #expect(analysis.name == expected.name)
            #expect(analysis.mode == expected.mode)
            #expect(analysis.bufferFrames == expected.bufferFrames)
            #expect(analysis.interval == expected.interval)
            #expect(analysis.signedDeviation == expected.signedDeviation)
            #expect(analysis.callbackTime == expected.callbackTime)
            #expect(analysis.lost == expected.lost)
            #expect(analysis.series == expected.series)
        }
        #expect(try CycleFile.contents(of: path, maximumCycles: 10).analyses.map(\.report.cycles) == [10, 10])
    }

    @Test func `says in its head what it holds`() throws {
        let writer = try newWriter(facts: [("kernel", "6.1.0")])
        var record = CycleRecord()
        record.entryNanoseconds = 81_234_567_890_123
        record.exitNanoseconds = 81_234_567_891_201
        record.frameTime = 64064
        record.frames = 64
        record.position = 64000
        record.sampleRate = 44100
        record.restFrames = 7
        writer.write([record], mode: 1)
        try writer.finish()
        let text = try String(contentsOfFile: path, encoding: .utf8)
        #expect(
            text == """
                # iounit.cycles/2
                # kernel: 6.1.0
                # mode callback: kind=callback sampleRate=48000 periodFrames=48 startNanoseconds=0
                # mode queued 4410: kind=queued sampleRate=48000 periodFrames=48 bufferFrames=4410 startNanoseconds=0
                mode,entry_ns,exit_ns,frame_time,frames,position,lost_records,sample_rate,rest_frames
                queued 4410,81234567890123,81234567891201,64064,64,64000,0,44100,7

                """)
    }

    @Test func `tells the facts of its run again, the first of each name`() throws {
        let writer = try newWriter(facts: [("server", "{\"name\":\"a: b\"}"), ("server", "later"), ("host", "x\ny")])
        writer.write(log(seed: 46, cycles: 1).records, mode: 0)
        try writer.finish()
        #expect(try CycleFile.contents(of: path).facts == ["server": "{\"name\":\"a: b\"}", "host": "xy"])
    }

    @Test func `has its name only when it is whole`() throws {
        try write("what was there before")
        var writer: CycleWriter? = try newWriter()
        writer?.write(log(seed: 44, cycles: 10_000).records, mode: 0)
        #expect(try String(contentsOfFile: path, encoding: .utf8) == "what was there before")
        writer = nil
        #expect(folder.names == ["cycles.csv"])
        #expect(try String(contentsOfFile: path, encoding: .utf8) == "what was there before")
        let second = try newWriter()
        second.write(log(seed: 44, cycles: 10).records, mode: 0)
        try second.finish()
        second.write(log(seed: 44, cycles: 10).records, mode: 0)
        try second.finish()
        #expect(folder.names == ["cycles.csv"])
        #expect(try CycleFile.contents(of: path).analyses.first?.report.cycles == 10)
    }

    @Test func `is none where callbacks of a mode were written that it has not`() throws {
        for number in [-1, 2] {
            let writer = try newWriter()
            writer.write(log(seed: 48, cycles: 1).records, mode: number)
            #expect(writer.failure == .cannotWrite(path: path, reason: "no mode has the number \(number)"))
            #expect(throws: FileError.self) { try writer.finish() }
        }
        #expect(folder.names == [])
    }

    @Test func `replaces what a link leads to, and not the link`() throws {
        try write("what was there before")
        let link = folder("link.csv")
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: path)
        try CycleWriter(path: link, replacing: true).finish()
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link) == path)
        #expect(try String(contentsOfFile: path, encoding: .utf8).hasPrefix("# iounit.cycles/2\n"))
    }

    @Test func `says when the disk is full`() throws {
        #expect(throws: FileError.cannotWrite(path: "/dev/full", reason: "No space left on device")) {
            try CycleWriter(path: "/dev/full")
        }
    }

    @Test func `cannot be made where there is no folder, or in place of one`() throws {
        let lost = folder("none/cycles.csv")
        #expect(throws: FileError.cannotCreate(path: lost, reason: "its folder does not exist; create it first")) {
            try CycleWriter(path: lost)
        }
        #expect(throws: FileError.cannotCreate(path: folder.path, reason: "it is a folder; name a file in it")) {
            try CycleWriter(path: folder.path)
        }
        #expect(folder.names.isEmpty)
    }

    @Test func `that is not there, or is a folder, cannot be read`() throws {
        #expect(try failure() == .cannotRead(path: path, reason: "No such file or directory"))
        #expect(throws: FileError.cannotRead(path: folder.path, reason: "Is a directory")) {
            try CycleFile.contents(of: folder.path).analyses
        }
    }

    @Test(arguments: [
        ("a,1,2,3,4,5", "position"), ("a,1,2,3,4,5,6,7", "lost_records"), ("a,1,2,3,4,5,", "lost_records"),
        ("a,,2,3,4,5,6", "entry_ns"), ("a,1,-2,3,4,5,6", "exit_ns"), ("a,1,2,4294967296,4,5,6", "frame_time"),
        ("a,1,2,3,4.5,5,6", "frames"), ("a,1,2,3,4,18446744073709551616,6", "position"), ("b,1,2,3,4,5,6", "mode"),
        ("", "mode"), ("a", "mode"), (" a,1,2,3,4,5,6", "mode"), ("a,1,2,3,4,5,6 ", "lost_records"),
    ])
    func `names the line that is malformed, and the column`(_ line: String, _ column: String) throws {
        try lines(format, mode, columns, "a,1,2,3,4,5,6", line, "a,1,2,3,4,5,6")
        guard case .malformed(_, let number, let reason)? = try failure() else {
            Issue.record("it was read")
            return
        }
        #expect(number == 5)
        #expect(reason.contains(column), "\(reason)")
    }

    @Test(arguments: [
        "a,1,2,3,4,5,6", "a,1,2,3,4,5,6,", "a,1,2,3,4,5,6,-1", "a,1,2,3,4,5,6,10000001", "a,1,2,3,4,5,6,48000,1",
    ])
    func `names the line whose sample rate is none`(_ line: String) throws {
        try lines(format, mode, columns + ",sample_rate", "a,1,2,3,4,5,6,10000000", line)
        guard case .malformed(_, 5, _)? = try failure() else {
            Issue.record("it was read")
            return
        }
    }

    @Test func `of an older version, which knows no rates, has those of its modes`() throws {
        try lines(format, mode, columns, "a,0,1,0,48,0,0", "a,1000000,1000001,48,48,48,0")
        let report = try #require(CycleFile.contents(of: path).analyses.first?.report)
        #expect(report.parts.map(\.sampleRate) == [48000] && report.deviation.maximum == 0)
    }

    @Test func `needs its head`() throws {
        func line() throws -> Int? {
            guard case .malformed(_, let line, _)? = try failure() else { return nil }
            return line
        }
        try write("")
        #expect(try line() == 1)
        try lines("interval,deviation")
        #expect(try line() == 1)
        try lines(format, columns)
        #expect(try line() == 2)
        try lines(format, mode, "a,1,2,3,4,5,6")
        #expect(try line() == 3)
        try lines(format, mode)
        #expect(try line() == 3)
        for facts in ["kind=callback", "kind=x sampleRate=1 periodFrames=1", "kind=queued sampleRate=0 periodFrames=1"]
        {
            try lines(format, "# mode a: \(facts)", columns)
            #expect(try line() == 2, "\(facts)")
        }
        try lines(format, mode, columns)
        #expect(try failure() == nil, "a run without a callback")
    }

    @Test(arguments: ["a", "a,1,2,3,4,5", "a,1,2,3,4,5,6", "# summ", "x"])
    func `that was cut short is read up to its last whole line, and tells the line`(_ last: String) throws {
        try write([format, mode, columns, "a,1,2,3,4,5,6", "a,3,4,7,4,9,6", last].joined(separator: "\n"))
        let contents = try CycleFile.contents(of: path)
        #expect(contents.cutLine == 6 && contents.analyses.map(\.cycles) == [2])
        try lines(format, mode, columns, "a,1,2,3,4,5,6")
        #expect(try CycleFile.contents(of: path).cutLine == nil)
    }

    @Test func `of a program that is killed stays beside it, up to what was written`() async throws {
        await #expect(processExitsWith: .signal(SIGKILL)) { [path = path as String] in
            var log = CycleLog()
            for _ in 0..<20_000 { log.cycle(late: 0) }
            let writer = try CycleWriter(path: path)
            let mode = writer.add(.init(kind: .callback, name: "a", sampleRate: 48000, periodFrames: 48))
            writer.write(log.records, mode: mode)
            raise(SIGKILL)
        }
        let name = try #require(folder.names.first)
        #expect(folder.names.count == 1 && name.hasPrefix(".iounit-log-"), "\(folder.names)")
        #expect(try CycleFile.contents(of: folder(name)).analyses[0].cycles > 5000)
    }

    @Test func `that was cut short in its head is none`() throws {
        for head in [format, "\(format)\n\(mode)", "\(format)\n\(mode)\n\(columns)"] {
            try write(head)
            guard case .malformed(_, _, let reason)? = try failure() else {
                Issue.record("it was read: \(head)")
                continue
            }
            #expect(reason.contains("cut short"))
        }
    }

    @Test(arguments: [
        (#"{"schema":"iounit.jitter/2"}"#, "it is no log of cycles"), ("\u{feff}a,b", "it is no log of cycles"),
        ("a", "it is no log of cycles"), ("#", "cut short"), ("\u{feff}# iounit", "cut short"),
    ])
    func `of one line without its end is one that was cut short only where it begins as one`(
        _ text: String, _ says: String
    ) throws {
        try write(text)
        guard case .malformed(_, 1, let reason)? = try failure() else {
            Issue.record("it was read")
            return
        }
        #expect(reason.contains(says), "\(reason)")
    }

    @Test func `with modes without end is refused`() throws {
        let modes = (1...64).map { mode.replacing("mode a", with: "mode a\($0)") }
        try write(([format] + modes + [columns, ""]).joined(separator: "\n"))
        #expect(try failure() == nil)
        try write(([format] + modes + [mode, columns, ""]).joined(separator: "\n"))
        #expect(try failure() == .malformed(path: path, line: 66, reason: "a log has 64 modes at the most"))
    }

    @Test func `with two modes of one name is refused`() throws {
        try lines(format, mode, mode, columns)
        #expect(try failure() == .malformed(path: path, line: 3, reason: "there is a mode \"a\" above"))
        try lines(format, mode, columns, "a,1,2,3,4,5,6", mode)
        #expect(try failure() == .malformed(path: path, line: 5, reason: "there is a mode \"a\" above"))
    }

    @Test func `with a line of a megabyte is refused`() throws {
        try write([format, mode, columns, String(repeating: "1", count: 3_000_000)].joined(separator: "\n"))
        #expect(try failure() == .malformed(path: path, line: 4, reason: "it is too long"))
    }

    @Test func `may have a byte order mark, lines that end as on other systems, and remarks`() throws {
        try write(
            ["\u{feff}" + format, mode, columns, "a,1,2,3,4,5,6", "# a remark", "a,1,2,3,4,5,6", ""].joined(
                separator: "\r\n"))
        #expect(try CycleFile.contents(of: path).analyses.first?.report.cycles == 2)
    }

    @Test func `names modes so that its lines can be read`() {
        let mode = CycleFile.Mode(kind: .queued, name: "a,b\n\"c\":#d", sampleRate: 48000, periodFrames: 48)
        #expect(mode.name == "a_b__c___d")
        // A mark that joins the space before it, and controls of eight bits.
        let foreign = CycleFile.Mode(kind: .queued, name: "\u{74a}a\u{9b}\u{7f}", sampleRate: 48000, periodFrames: 48)
        #expect(foreign.name == "_a__")
    }
}

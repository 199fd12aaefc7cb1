import AudioIO
import AudioPlugins
import Foundation
import TestSupport
import Testing

@Suite("A plug-in that would end or harm its host") struct UnrulyPluginTests {
    /// What the plug-in is asked for: see Bundles/unruly.lv2.
    private enum Misdeed: Int {
        case exits = 1
        case exitsInWorker, exitsInThread, closes, forks, handles, prints, endsThread, fails, asserts
        case repeats, raises, kills, overruns, loads, killsGroup, complains
        case throwsOut, signalsThread, queues, errs, endsC11Thread, overflows, closesStreams, setsTimers, looksUp
    }

    /// Renders until the misdeed is done: offline, the worker works between two blocks.
    ///
    /// - Parameter options: of the linker.
    private func render(_ misdeed: Misdeed, options: [String] = []) throws -> (refusals: [String], last: [Float]) {
        let bundle = try Bundle(folder: ProbeBundle.folder("unruly", options: options))
        // For the plug-in to load.
        try FileManager.default.copyItem(
            atPath: bundle.folder("unruly.lv2/unruly.so"), toPath: bundle.folder("unruly.lv2/helper.so"))
        let plugin = try Plugin("urn:iounit:unruly", channels: 1, in: bundle.list)
        let engine = try Engine.hosting(plugin)
        defer { engine.close() }
        #expect(try engine.render([Float](repeating: 0.25, count: 512)) == [Float](repeating: 0.5, count: 512))
        #expect(plugin.takeRefusals().isEmpty)
        try plugin.set("misdeed", Double(misdeed.rawValue))
        for _ in 0..<4 { _ = try engine.render([Float](repeating: 0.25, count: 512)) }
        let last = try engine.render([Float](repeating: 0.25, count: 512))
        let refusals = plugin.takeRefusals()
        #expect(plugin.takeRefusals().isEmpty, "each is told once")
        return (refusals, last)
    }

    private static let goesBy = [Float](repeating: 0.25, count: 512)
    private static let goesOn = [Float](repeating: 0.5, count: 512)

    @Test(arguments: [["-Wl,-z,lazy"], ["-Wl,-z,now", "-Wl,-z,relro"], ["-fno-plt"]])
    func `one that calls exit is bypassed, however it is linked`(_ options: [String]) throws {
        let (refusals, last) = try render(.exits, options: options)
        #expect(refusals.count == 1 && refusals[0].contains("called exit,") && last == Self.goesBy, "\(refusals)")
    }

    @Test func `one that calls exit is bypassed as late as it was, where it has a switch of its own too`() throws {
        let bundle = try Bundle(folder: ProbeBundle.folder("unruly"))
        let file = bundle.folder("unruly.lv2/unruly.ttl")
        let ports = try String(contentsOfFile: file, encoding: .utf8)
        let last = try #require(ports.range(of: "] .", options: .backwards))
        let more = """
            ] , [
                a lv2:ControlPort , lv2:OutputPort ; lv2:index 3 ; lv2:symbol "latency" ; lv2:name "Latency" ;
                lv2:designation lv2:latency
            ] , [
                a lv2:ControlPort , lv2:InputPort ; lv2:index 4 ; lv2:symbol "enabled" ; lv2:name "Enabled" ;
                lv2:designation lv2:enabled ; lv2:portProperty lv2:toggled ; lv2:default 1 ; lv2:minimum 0 ; lv2:maximum 1
            ] .
            """
        try ports.replacingCharacters(in: last, with: more).write(toFile: file, atomically: true, encoding: .utf8)
        let plugin = try Plugin("urn:iounit:unruly", channels: 1, in: bundle.list)
        let engine = try Engine.hosting(plugin)
        defer { engine.close() }
        _ = try engine.render([Float](repeating: 0.25, count: 512))
        try plugin.set("misdeed", Double(Misdeed.exits.rawValue))
        for _ in 0..<4 { _ = try engine.render([Float](repeating: 0.25, count: 512)) }
        #expect(plugin.takeRefusals().count == 1 && plugin.latencyFrames == 100)
        var generator = SeededGenerator(seed: 30)
        let signal = generator.signal(count: 512)
        #expect(try Array(engine.render(signal)[100...]) == Array(signal[..<412]))
    }

    @Test func `one that ends the thread, aborts, signals its host, or fails its own assertion`() throws {
        for (misdeed, name) in [
            (Misdeed.endsThread, "pthread_exit"), (.fails, "abort"), (.asserts, "assert"), (.raises, "raise"),
            (.kills, "kill"), (.overruns, "__stack_chk_fail"), (.killsGroup, "kill"), (.complains, "exit"),
            (.signalsThread, "pthread_kill"), (.queues, "sigqueue"), (.errs, "error"),
            (.endsC11Thread, "thrd_exit"), (.overflows, "__chk_fail"),
        ] {
            let (refusals, last) = try render(misdeed)
            #expect(refusals.count == 1 && refusals[0].contains("called \(name),"), "\(refusals)")
            #expect(last == Self.goesBy)
        }
    }

    @Test func `one that lets an exception out is bypassed`() throws {
        let (refusals, last) = try render(.throwsOut, options: ["-Wl,--no-as-needed", "-lstdc++"])
        #expect(refusals.count == 1 && refusals[0].contains("called std::terminate,"), "\(refusals)")
        #expect(last == Self.goesBy)
    }

    @Test(arguments: [["-Wl,-z,lazy"], ["-Wl,-z,now", "-Wl,-z,relro"]])
    func `one that looks exit up is bypassed, however it looks`(_ options: [String]) throws {
        let (refusals, last) = try render(.looksUp, options: options)
        #expect(refusals.count == 1 && refusals[0].contains("called exit,") && last == Self.goesBy, "\(refusals)")
    }

    @Test func `one that calls exit in its worker is bypassed`() throws {
        let (refusals, last) = try render(.exitsInWorker)
        #expect(refusals.count == 1 && refusals[0].contains("called exit,") && last == Self.goesBy, "\(refusals)")
    }

    @Test(arguments: [["-Wl,-z,lazy"], ["-Wl,-z,now", "-Wl,-z,relro"]])
    func `one that loads a library which calls exit is bypassed`(_ options: [String]) throws {
        let (refusals, last) = try render(.loads, options: options)
        #expect(refusals.count == 1 && refusals[0].contains("called exit,") && last == Self.goesBy, "\(refusals)")
    }

    @Test func `a thread of its own that calls exit ends alone`() throws {
        let (refusals, last) = try render(.exitsInThread)
        #expect(refusals.count == 1 && refusals[0].contains("that thread has ended"), "\(refusals)")
        #expect(last == Self.goesOn)
    }

    @Test func `one whose worker asks and answers without end has a block's part in each block`() throws {
        let (refusals, last) = try render(.repeats)
        #expect(refusals.isEmpty && last == Self.goesOn, "\(refusals)")
    }

    @Test func `descriptors that are not its own stay open`() throws {
        let pipe = Pipe()
        let (refusals, last) = try render(.closes)
        #expect(refusals.count == 1 && refusals[0].contains("they stay open") && last == Self.goesOn, "\(refusals)")
        try pipe.fileHandleForWriting.write(contentsOf: Data([7]))
        #expect(try pipe.fileHandleForReading.read(upToCount: 1) == Data([7]))
        // Not beside the other, which counts whose each descriptor is. Those of its streams it can close, and not what has their
        // numbers then.
        let ofStreams = try render(.closesStreams)
        #expect(
            ofStreams.refusals.count == 1 && ofStreams.refusals[0].contains("they stay open"), "\(ofStreams.refusals)")
        #expect(ofStreams.last == Self.goesOn)
    }

    @Test func `no timer of its own ends the program by a signal`() throws {
        let (refusals, last) = try render(.setsTimers)
        #expect(refusals.count == 1 && refusals[0].contains("a timer") && last == Self.goesOn, "\(refusals)")
        #expect(alarm(0) == 0, "none is on its way")
    }

    @Test func `it becomes no other process`() throws {
        let (refusals, last) = try render(.forks)
        #expect(refusals.count == 1 && refusals[0].contains("fork") && last == Self.goesOn, "\(refusals)")
    }

    @Test func `signals stay with the program`() throws {
        var before = sigaction()
        sigaction(SIGTERM, nil, &before)
        let (refusals, last) = try render(.handles)
        #expect(refusals.count == 1 && refusals[0].contains("signals") && last == Self.goesOn, "\(refusals)")
        var after = sigaction()
        sigaction(SIGTERM, nil, &after)
        #expect(
            unsafeBitCast(before.__sigaction_handler.sa_handler, to: Int.self)
                == unsafeBitCast(after.__sigaction_handler.sa_handler, to: Int.self))
    }
}

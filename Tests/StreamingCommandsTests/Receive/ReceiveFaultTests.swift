import CommandTestSupport
import Foundation
import Jack
import TestSupport
import Testing

@testable import AudioStreaming
@testable import LiveCommands

@Suite("The line of a log of iounit receive") struct ReceiveLineTests {
    @Test func `names each loss that there was`() {
        var figures = ReceiverFigures()
        figures.streams = 1
        #expect(figures.words == ["0 packets", "lost 0", "late 0", "reordered 0"])
        (figures.damagedPackets, figures.droppedPackets, figures.underrunFrames) = (3, 4, 5)
        #expect(figures.words.dropFirst(4) == ["damaged 3", "dropped 4", "underrun 5 frames"])
    }
}

/// What goes wrong with other receivers, as their users report it, with `iounit receive`.
@Suite("iounit receive and faults", .serialized, .ownServers) struct ReceiveFaultTests {
    private let folder: TemporaryFolder
    private let server: Server

    init() throws {
        folder = try TemporaryFolder()
        var configuration = ServerConfiguration()
        configuration.periodFrames = 256
        server = try Server(configuration)
    }

    private let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appendingPathComponent("../../AudioStreamingTests/Receivers/talker.py").path

    private func listens(at port: Int) -> Bool {
        let sockets = try? String(contentsOfFile: "/proc/net/udp", encoding: .utf8)
        return sockets?.contains(String(format: ":%04X ", port + 1)) == true
    }

    /// A receiver, and a sender that does some steps (see talker.py).
    ///
    /// - Returns: the report, with how late a packet was sent at the most as `senderLate`, in seconds; and what was heard of
    ///   the first channel.
    private func hear(_ steps: String..., options: [String] = []) throws -> (
        report: [String: Any], heard: [Float]
    ) {
        let port = try freePorts()
        let run = try CommandRun(
            [
                "receive", "--server", server.name, "--name", "ear", "--no-connect", "--json", "--codec", "pcm16",
                "--stream-channels", "1", "--record", folder("heard.wav"), "--force", "rtp://127.0.0.1:\(port)",
            ] + options)
        try run.wait(until: "it listens") { listens(at: port) }
        let talker = try CommandRun([script, "\(port)"] + steps, program: "/usr/bin/python3")
        #expect(try talker.end() == 0, "\(talker.err)")
        let take = GrowingTake(path: folder("heard.wav"))
        var frames = Int.max
        try run.wait(until: "the sender left") {
            // Where the machine stands still it is said of a sender, too, that goes on as another one: that one is heard of within a
            // second of sound.
            let hasLeft = run.err.split(separator: "\n").last?.contains("the sender has left") == true
            if !hasLeft || frames == .max { frames = take.frames }
            return hasLeft && take.frames > frames + 48_000
        }
        run.send(SIGINT)
        #expect(try run.end() == -SIGINT, "\(run.err)")
        let heard = try SoundFile(reading: folder("heard.wav")).channels[0]
        var report = try object(run.out)
        let late: Double? = Double(talker.out.dropLast())
        report["senderLate"] = try #require(late)
        return (report, heard)
    }

    /// Whether the machine held the sender or the receiver up on top of what the sender keeps back: where nothing has come for
    /// half a second, and then old packets alone, they are taken for those of a sender that has begun again.
    private func wasHeldUp(_ report: [String: Any]) throws -> Bool {
        let late = try #require(report["senderLate"] as? Double)
        let underrun = try number(report, "underrunFrames")
        return try late > 0.1 || underrun > 4800 || number(report, "lostNanoseconds") > 200_000_000
    }

    @Test func `outlives its server, and is at the next one's rate`() throws {
        let host = try Succession()
        server.stop()
        let port = try freePorts()
        let run = try CommandRun([
            "receive", "--server", host.name, "--name", "ear", "--no-connect", "--json", "--codec", "pcm16",
            "--stream-channels", "1", "--record", folder("heard.wav"), "--reconnect",
            "auto",
            "rtp://127.0.0.1:\(port)",
        ])
        try run.wait(until: "it listens") { listens(at: port) }
        let talker = try CommandRun([script, "\(port)", "send=60", "bye"], program: "/usr/bin/python3")
        try run.wait(until: "it receives") { run.err.contains("receiving from") }
        try host.end(by: SIGKILL)
        try run.wait(until: "it knows") { run.err.contains("the server is gone") }
        var other = ServerConfiguration()
        other.sampleRate = 44100
        other.periodFrames = 512
        try host.startAgain(other)
        try run.wait(until: "it is back") { run.err.contains("in the graph again") }
        // At another rate the recording goes on in another file.
        func later() throws -> SoundFile? {
            try FileManager.default.contentsOfDirectory(atPath: folder("")).filter { $0.hasSuffix(".wav") }
                .map { try SoundFile(reading: folder($0)) }.first { $0.sampleRate == 44100 }
        }
        // It comes to its pitch once the clocks are matched, on a busy machine later: in half a second the tone goes through
        // zero upwards 500 times. At the rate of before it would be 544 times for good.
        try run.wait(until: "half a second without a break is heard at its pitch") {
            guard let heard = (try? later())??.channels.first, heard.count > 44100 else { return false }
            return unbroken(heard.suffix(44100), frames: 22050).map { abs(turns(of: $0) - 500) < 15 } ?? false
        }
        run.send(SIGINT)
        #expect(try run.end() == -SIGINT, "\(run.err)")
        talker.send(SIGKILL)
        _ = try talker.end()
        let report = try object(run.out)
        // A machine that stands still for two seconds makes two streams of one.
        let isOne = try number(report, "streams") == 1 && number(report, "lostPackets") == 0
        #expect(isOne || run.err.contains("the sender has left"), "\(report) \(run.err)")
    }

    /// How often it goes through zero upwards.
    private func turns(of heard: ArraySlice<Float>) -> Int {
        zip(heard, heard.dropFirst()).reduce(0) { $0 + ($1.0 < 0 && $1.1 >= 0 ? 1 : 0) }
    }

    private func number(_ report: [String: Any], _ name: String) throws -> Int {
        try #require(report[name] as? Int, "\(name)")
    }

    /// Where there is sound: from the first to behind the last frame beyond a level, of each piece between silences of
    /// 50 ms or more.
    private func pieces(_ heard: [Float], above level: Float = 0.01) -> [Range<Int>] {
        var pieces: [Range<Int>] = []
        for (frame, sample) in heard.enumerated() where abs(sample) > level {
            if let last = pieces.last, frame - last.upperBound < 2400 {
                pieces[pieces.count - 1] = last.lowerBound..<(frame + 1)
            } else {
                pieces.append(frame..<(frame + 1))
            }
        }
        return pieces
    }

    /// The first so many frames in which each hundredth of a second sounds.
    private func unbroken(_ heard: ArraySlice<Float>, frames: Int, block: Int = 441) -> ArraySlice<Float>? {
        var sounding = 0
        for start in stride(from: heard.startIndex, through: heard.endIndex - block, by: block) {
            sounding = peak(heard[start..<start + block]) > 0.4 ? sounding + block : 0
            if sounding >= frames { return heard[(start + block - frames)..<(start + block)] }
        }
        return nil
    }

    private func peak(_ heard: ArraySlice<Float>) -> Float { heard.reduce(0) { max($0, abs($1)) } }

    /// Frames that are no silence.
    private func sound(_ heard: [Float]) -> Int { pieces(heard).reduce(0) { $0 + $1.count } }

    @Test(arguments: ["bye", "pause=0"]) func `the last word is heard, whether or not the sender says good-bye`(
        end: String
    ) throws {
        defer { server.stop() }
        // It is the end that is looked at. Behind a buffer of four seconds nothing is heard before the sender has left, which
        // two of silence tell. So no packet is late where the machine stands still for less, and what the server loses then
        // is neither silence in the middle, nor left out as it is while more may come.
        let (report, heard) = try hear("send=1", "end", end, options: ["--buffer", "4000", "--gaps", "cut"])
        #expect(try number(report, "receivedPackets") == 101 && number(report, "playedPackets") == 101, "\(report)")
        #expect(heard.filter { $0 > 0.85 }.count > 460)
        let piece = try #require(pieces(heard).last)
        #expect(piece.count > 47000 && heard[piece.upperBound...].allSatisfy { abs($0) < 0.01 })
    }

    @Test(arguments: [("opus", "1"), ("pcm16", "2")])
    func `a stream of another codec, or of fewer channels, is no sound, and ends the run with 76`(
        expected: String, channels: String
    ) throws {
        defer { server.stop() }
        let port = try freePorts()
        let run = try CommandRun([
            "receive", "--server", server.name, "--name", "ear", "--no-connect", "--json", "--codec", expected,
            "--stream-channels", channels, "rtp://127.0.0.1:\(port)",
        ])
        try run.wait(until: "it listens") { listens(at: port) }
        let talker = try CommandRun([script, "\(port)", "send=1", "bye"], program: "/usr/bin/python3")
        #expect(try talker.end() == 0, "\(talker.err)")
        let words = "not the expected \(expected) (48000 hertz, channels: \(channels)); say what is sent with --codec"
        try run.wait(until: "it is told") { run.err.contains(words) }
        run.send(SIGINT)
        #expect(try run.end() == 76, "\(run.err)")
        let report = try object(run.out)
        for name in ["streams", "lostPackets", "latePackets", "playedFrames", "concealedFrames"] {
            #expect(try number(report, name) == 0, "\(report)")
        }
    }

    /// 3LAS 4: one underrun, and static until a reload.
    @Test func `after packets that came later than the buffer holds the sound is clean again`() throws {
        defer { server.stop() }
        let (report, heard) = try hear("send=2", "hold=0.3", "send=4", "bye", options: ["--buffer", "100"])
        #expect(try number(report, "latePackets") > 4)
        let isOne = try number(report, "streams") == 1 && number(report, "lostPackets") == 0
        #expect(try isOne || wasHeldUp(report))
        // What disturbs the sender for less than the buffer makes no step; a quarter of a second of the tone is what static
        // would not leave. A machine that stands still for longer breaks it once more: any quarter behind the first break
        // will do.
        let start = try #require(pieces(heard).dropFirst().first).lowerBound
        let windows = stride(from: start, to: heard.count - 12000, by: 2400)
        // The tone's own steps are 0.066, those of a click more.
        #expect(
            windows.map { heard[$0..<($0 + 12000)] }.contains { $0.largestStep < 0.08 && peak($0) > 0.4 })
    }

    /// roc-toolkit 299: it leaves when the latency is out of bounds, comes again, and so on.
    @Test func `delays beyond the buffer again and again end no stream: the buffer is longer then`() throws {
        defer { server.stop() }
        let (report, heard) = try hear(
            "send=0.5", "hold=0.3", "send=0.7", "hold=0.3", "send=0.7", "hold=0.3", "send=0.7", "hold=0.3", "send=0.5",
            "bye")
        guard try !wasHeldUp(report) else { return }
        #expect(try number(report, "streams") == 1 && number(report, "lostPackets") == 0)
        #expect(try #require(report["bufferMilliseconds"] as? Double) > 250)
        #expect(sound(heard) > 48000 * 3, "\(pieces(heard))")
        // Each of the four keeps 30 packets back. Where the buffer stays at 50 ms, 96 come late in all; else 27, and as many more as the
        // machine makes late that stands still.
        #expect(try number(report, "latePackets") < 3 * 30, "\(report)")
    }

    @Test(arguments: ["again", "other"])
    func `a sender that begins again is heard again, whatever it keeps of its numbers`(how: String) throws {
        defer { server.stop() }
        let port = try freePorts()
        let take = GrowingTake(path: folder("heard.wav"))
        // Held for two seconds, so that no packet is late where the machine stands still for less: it is who is believed that is
        // looked at.
        let run = try CommandRun([
            "receive", "--server", server.name, "--name", "ear", "--no-connect", "--json", "--codec", "pcm16",
            "--stream-channels", "1", "--buffer", "2000", "--record", take.path, "rtp://127.0.0.1:\(port)",
        ])
        try run.wait(until: "it listens") { listens(at: port) }
        // It begins again and again: a receiver that the machine does not let run for a second and a half does not see the first time.
        let steps = (0..<30).flatMap { _ in ["send=2", how] }
        let talker = try CommandRun([script, "\(port)"] + steps, program: "/usr/bin/python3")
        try run.wait(until: "another stream begins", within: 60) {
            run.err.components(separatedBy: "receiving from").count > 2
        }
        try take.wait(for: run, toHear: 48000)
        run.send(SIGINT)
        #expect(try run.end() == -SIGINT, "\(run.err)")
        talker.send(SIGKILL)
        _ = try talker.end()
        #expect(try number(object(run.out), "streams") >= 2)
    }
}

import AudioRecording
import Glibc
import Jack
import TestSupport
import Testing

/// A player and a listener on a private server. In sync mode no cycle is left out, only late, so that every frame
/// has its place on any machine.
@Suite(.serialized, .ownServers) struct SourcePlayerTests {
    let folder: TemporaryFolder
    let server: Server

    init() throws {
        folder = try TemporaryFolder()
        var configuration = ServerConfiguration()
        configuration.isSync = true
        configuration.periodFrames = 256
        server = try Server(configuration)
    }

    func player(_ sound: Sound, loop: Bool = false) throws -> SourcePlayer {
        try sound.write(to: folder("a.wav"))
        let source = try Source(.file(path: folder("a.wav")), sampleRate: 48000, channels: 2, loop: loop)
        return try SourcePlayer(source, clientName: "player", server: server.name)
    }

    /// Plays to the end and a little further, and returns where it began.
    func playThrough(_ player: SourcePlayer, _ listener: Listener) throws -> UInt32 {
        try waitUntil("the listener's first cycles") { listener.frames > 1000 }
        #expect(player.startFrameTime == nil && player.playedFrames == 0)
        player.start()
        try waitUntil("the end of the source") { player.endFrameTime != nil }
        let end = try #require(player.endFrameTime)
        try waitUntil("the listener to hear the end") {
            listener.frames > Int(end &- listener.firstFrameTime) + 1000
        }
        return try #require(player.startFrameTime)
    }

    @Test(arguments: [1, 2, 5])
    func everyFrameIsHeardInItsPlace(channels: Int) throws {
        let sound = Sound.numbered(frames: 12_345, channels: channels)
        let listener = try Listener(server: server, channels: 2, capacity: 480_000)
        let player = try player(sound)
        #expect(player.portNames == (1...min(2, channels)).map { "player:out_\($0)" })
        try player.connect(toInputs: listener.portNames)
        let start = try playThrough(player, listener)

        #expect(listener.gaps == 0)
        #expect(player.endFrameTime == start &+ 12_345)
        #expect(player.playedFrames == 12_345 && player.underrunFrames == 0 && player.failure == nil)
        for input in 0..<2 {
            let weights =
                DownMix(channels: channels, inputs: 2)?.weights[input]
                ?? (0..<channels).map { channels == 1 || $0 == input ? 1 : 0 }
            let expected = (0..<12_345).map { frame in
                Float((0..<channels).reduce(0.0) { $0 + weights[$1] * Double(sound.samples[frame * channels + $1]) })
            }
            #expect(firstDifference(listener.heard(input, from: start, count: 12_345), expected) == nil)
            #expect(listener.heard(input, from: start &- 500, count: 500).allSatisfy { $0 == 0 })
            #expect(listener.heard(input, from: start &+ 12_345, count: 500).allSatisfy { $0 == 0 })
        }
    }

    @Test func inFreewheelNothingIsLeftOut() throws {
        // Thirty rings full, many times faster than in real time.
        let sound = Sound.numbered(frames: 1_440_000)
        let listener = try Listener(server: server, channels: 1, capacity: 6_000_000)
        let player = try player(sound)
        try player.connect(toInputs: listener.portNames)
        try waitUntil("the listener's first cycles") { listener.frames > 1000 }
        try listener.setFreewheel(true)
        player.start()
        try waitUntil("the end of the source") { player.endFrameTime != nil }
        try listener.setFreewheel(false)
        let start = try #require(player.startFrameTime)
        #expect(player.endFrameTime == start &+ 1_440_000)
        #expect(player.underrunFrames == 0 && player.failure == nil)
        #expect(firstDifference(listener.heard(0, from: start, count: 1_440_000), sound.samples) == nil)
    }

    @Test func inFreewheelAFileThatBreaksEndsTheSourceAndNotTheServer() throws {
        let player = try player(Sound.numbered(frames: 480_000))
        truncate(folder("a.wav"), 1_000_000)
        let listener = try Listener(server: server, channels: 1, capacity: 1000)
        try listener.setFreewheel(true)
        player.start()
        try waitUntil("the end of the source") { player.endFrameTime != nil }
        #expect(player.failure?.kind == .io)
        #expect((200_000..<250_000).contains(player.playedFrames))
        try listener.setFreewheel(false)
    }

    @Test func aPlayerCanBeStoppedInTheMiddleAndTwice() throws {
        let listener = try Listener(server: server, channels: 1, capacity: 1000)
        let player = try player(Sound.numbered(frames: 1000), loop: true)
        try player.connect(toInputs: listener.portNames)
        player.start()
        try waitUntil("a while of the loop") { player.playedFrames > 10_000 }
        #expect(try #require(player.cycles) > 10)
        player.stop()
        #expect(player.cycles == nil, "it has no client any more")
        let played = player.playedFrames
        let heard = listener.frames
        try waitUntil("the server to go on") { listener.frames > heard + 1000 }
        #expect(player.playedFrames == played)
        player.stop()
        let error = #expect(throws: JackError.self) { try player.connect(toInputs: listener.portNames) }
        #expect(error?.kind == .invalidRequest)
        // Its name is free again.
        let other = try self.player(Sound.numbered(frames: 1000))
        #expect(other.portNames == ["player:out_1"])
    }

    @Test func aPlayerOutlivesItsServer() throws {
        let player = try player(Sound.numbered(frames: 1000), loop: true)
        player.start()
        try waitUntil("the first frames") { player.playedFrames > 0 }
        server.signal(SIGKILL)
        try waitUntil("the server's end") { !server.isRunning }
        player.stop()
    }

    @Test func withoutAServerOrAnInputThereIsAnError() throws {
        let source = try Source(.tone(hertz: 440), sampleRate: 48000, channels: 2)
        let missing = #expect(throws: JackError.self) {
            try SourcePlayer(source, clientName: "player", server: "no-such-server")
        }
        #expect(missing?.kind == .noServer)
        let player = try SourcePlayer(source, clientName: "player", server: server.name)
        let nowhere = #expect(throws: JackError.self) { try player.connect(toInputs: ["nobody:in_1"]) }
        #expect(nowhere?.kind == .notFound)
    }
}

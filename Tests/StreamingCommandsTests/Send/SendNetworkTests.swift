import CommandTestSupport
import Foundation
import Jack
import TestSupport
import Testing

/// What is sent to another machine, by a network that fails.
@Suite(
    "iounit send by a network", .serialized, .ownServers,
    .enabled(if: Cable.isPermitted, "network namespaces may not be made here"))
struct SendNetworkTests {
    private let folder: TemporaryFolder
    init() throws { folder = try TemporaryFolder() }

    /// How long the cable is pulled: longer where there is time, as in IOUNIT_LONG=1.
    private static let outageSeconds: UInt32 = ProcessInfo.processInfo.environment["IOUNIT_LONG"] == nil ? 1 : 10

    /// Of two receivers one stays, and one is another after the outage, which the sender only finds out from the machine there.
    @Test func `whoever is there when the cable is back hears all that comes then, and one that stayed all of it`()
        throws
    {
        // Patient: each frame that is played is counted, however long the machine holds a client up.
        let server = try Listening.server()
        defer { server.stop() }
        let cable = try Cable()
        let staying = try StreamListener(in: folder, at: cable)
        let leaving = try StreamListener(in: folder, at: cable)
        let run = try cable.start(
            [
                CommandRun.program, "send", "--server", server.name, "--name", "ear", "--no-connect", "--json",
                "--codec",
                "pcm24", staying.target, leaving.target,
            ], at: .near)
        try run.wait(until: "both are reached") { run.err.components(separatedBy: "sending to ").count == 3 }
        try NumberedFrames.file(frames: 20_000).write(folder("numbered.wav"))
        func play() throws {
            let player = try CommandRun([
                "play", "--server", server.name, "--output", "^ear:in_", folder("numbered.wav"),
            ])
            #expect(try player.end() == 0, "\(player.err)")
        }
        try play()
        let unplugged = ContinuousClock.now
        try cable.plug(false)
        leaving.kill()
        let next = try StreamListener(in: folder, port: leaving.port, at: cable)
        sleep(Self.outageSeconds)
        let before = staying.bytes
        try cable.plug(true)
        try run.wait(until: "the one that stayed hears it") { staying.bytes > before }
        let outage = ContinuousClock.now - unplugged
        try run.wait(until: "the other one is reached") {
            run.err.contains("sending to \(next.target) (pcm24, 48000 Hz) again")
        }
        try play()
        run.send(SIGINT)
        #expect(try run.end() == -SIGINT, "\(run.err)")
        let stayed = NumberedFrames(in: try staying.heard(in: folder))
        let came = NumberedFrames(in: try next.heard(in: folder))
        #expect(came.numbers == Array(1...20_000) && came.strays == 0)
        #expect(stayed.numbers == Array(1...20_000) + Array(1...20_000) && stayed.strays == 0)
        let targets = try #require(try object(run.out)["targets"] as? [[String: Any]])
        #expect(targets.map { $0["reconnections"] as? Int } == [0, 1])
        // What waits longer than two seconds, and has no room in the kernel, is lost: silence, and counted.
        #expect(outage > .seconds(2) || targets[0]["lostPackets"] as? Int == 0, "\(outage)")
        #expect(targets[0]["error"] is NSNull && targets[1]["error"] is String)
    }

    /// One that joined the group hears what one sender says once.
    @Test func `a group of receivers gets RTP, which crosses no router`() throws {
        let run = try Cable.machine(
            "sh", "-ec",
            """
            ip link set lo up multicast on
            ip route add 239.0.0.0/8 dev lo
            setpriv --pdeathsig KILL /usr/bin/python3 "$1" 5004 20 239.1.2.3 > "$2" & receiver=$!
            until grep -q ':138D ' /proc/self/net/udp; do sleep 0.02; done
            "$0" send --dummy --codec pcm16 --seconds 1.5 --sdp "$3" --json rtp://239.1.2.3:5004
            wait $receiver
            """, CommandRun.program, receiverScript("rtp.py"), folder("heard.json"), folder("a.sdp"))
        #expect(try run.end() == 0, "\(run.err)")
        let heard = try object(String(contentsOfFile: folder("heard.json"), encoding: .utf8))
        let target = try #require((try object(run.out)["targets"] as? [[String: Any]])?.first)
        #expect(target["lostPackets"] as? Int == 0)
        // 480 frames of stereo with 16 bits are two datagrams; a mark of missing time, after a late cycle, is none.
        let datagrams = try #require((heard["packets"] as? [Any])?.count)
        let packets = try #require(target["sentPackets"] as? Int)
        #expect(datagrams > 40 && datagrams <= 2 * packets, "\(datagrams) of \(packets)")
        #expect(heard["hops"] as? [Int] == [1])
        #expect(try String(contentsOfFile: folder("a.sdp"), encoding: .utf8).contains("c=IN IP4 239.1.2.3/1\r\n"))
    }
}

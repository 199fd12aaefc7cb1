import AudioFiles
import Foundation
import Synchronization
import TestSupport
import Testing
import Threads

@testable import AudioStreaming

@Suite("A server of a page", .serialized) struct PageServerTests {
    private let folder: TemporaryFolder
    init() throws { folder = try TemporaryFolder() }

    private func numbers(_ receiver: Receiver) throws -> [String: Int] {
        let object = try JSONSerialization.jsonObject(with: receiver.heard()) as? [String: Any]
        return (object ?? [:]).compactMapValues { $0 as? Int }
    }

    /// Ours, after those of a test suite of WebSockets: frames, parts, reserved bits, UTF-8, closing, limits.
    @Test func `survives whatever a client sends, and answers it as RFC 6455 and RFC 9112 ask for`() throws {
        let tone = try ServedTone()
        let client = try tone.client("cases", in: folder)
        let wrong = try client.heard()
        #expect(String(decoding: wrong, as: UTF8.self) == "")
        #expect(tone.server.figures.refusals > 10)
    }

    @Test func `loses nothing of a crowd, and encodes once for all of it`() throws {
        var configuration = PageConfiguration(PageAddress(port: 0))
        // A machine that stands still makes packets late, which is no loss.
        configuration.queueSeconds = 30
        let tone = try ServedTone(configuration)
        let seen = try numbers(try tone.client("crowd", "opus", "50", "2", in: folder))
        #expect(seen["ended"] == 0 && (seen["leastPackets"] ?? 0) > 50)
        let figures = tone.server.figures
        #expect(figures.mostListeners == 50 && figures.lostPackets == 0)
    }

    /// The whole of `Receivers/full.py`: what a crowd of listeners and of silent connections must leave to others.
    @Test func `tells listeners beyond its places to come again, and answers all others whoever is silent`() throws {
        var configuration = PageConfiguration(PageAddress(port: 0))
        configuration.listeners = 80
        let tone = try ServedTone(configuration)
        let client = try Receiver(
            "/usr/bin/python3", [Receiver.script("full.py"), "\(tone.server.address.port)", "80"], folder: folder)
        let wrong = String(decoding: try client.heard(), as: UTF8.self)
        #expect(wrong == "", "\(wrong)")
        #expect(tone.server.figures.mostListeners == 80 && tone.server.figures.refusals >= 2)
    }

    @Test func `counts what a listener had lost when it left, of which no packet told it any more`() throws {
        let opening = StreamOpening(
            codec: .pcm16, rate: 48000, channels: 1, packetFrames: 480, firstFrame: 0, wallNanoseconds: 0)
        // It is not asked.
        let handle = WebConnection(try #require(OpaquePointer(bitPattern: 8)))
        let connection = PageConnection(handle, queueSeconds: 0.08)
        func push(_ numbers: Range<UInt32>, generation: Int) {
            for number in numbers {
                let packet = StreamPacket(
                    sequence: number, firstFrame: UInt64(number) * 480, frames: 480, wallNanoseconds: 0, payload: [0])
                connection.queue.push(
                    SharedPacket(
                        Broadcast.Piece(codec: .pcm16, generation: generation, packet: packet, opening: opening)))
            }
        }
        push(0..<1, generation: 1)
        connection.generation = connection.queue.next()?.packet.piece.generation
        push(1..<21, generation: 1)
        var figures = PageFigures()
        connection.noteEnd(&figures)
        #expect(figures.lostPackets == 12)
        // Of another encoding the numbers say nothing.
        push(100..<110, generation: 2)
        connection.noteEnd(&figures)
        #expect(figures.lostPackets == 12)
    }

    @Test(arguments: [
        (1.0, 480, 100), (1, 4096, 12), (1, 120, 400), (0.5, 4096, 8), (0, 480, 8), (-1, 480, 8), (.nan, 480, 8),
        (1, 0, 48_000), (.infinity, 1 << 20, 165),
    ])
    func `lets wait for a listener what lasts so many seconds, whatever the length of its packets`(
        seconds: Double, frames: Int, packets: Int
    ) {
        let opening = StreamOpening(
            codec: .flac, rate: 48000, channels: 1, packetFrames: frames, firstFrame: 0, wallNanoseconds: 0)
        var queue = ListenerQueue(seconds: seconds)
        for number in 0..<UInt32(packets) + 1 {
            let packet = StreamPacket(
                sequence: number, firstFrame: 0, frames: UInt32(frames), wallNanoseconds: 0, payload: [0])
            queue.push(SharedPacket(Broadcast.Piece(codec: .flac, generation: 1, packet: packet, opening: opening)))
        }
        #expect(queue.count == packets && queue.next()?.packet.piece.packet.sequence == 1)
    }

    @Test func `says to a listener that stopped reading how much it lost, to the packet, and nobody else loses any`()
        throws
    {
        let tone = try ServedTone()
        // More seconds than the kernel's buffers hold of it.
        let stalled = try tone.client("stall", "float", "2.5", in: folder)
        let crowd = try numbers(try tone.client("crowd", "float", "5", "2.5", in: folder))
        #expect(crowd["ended"] == 0)
        let seen = try numbers(stalled)
        let (received, lost, span) = (seen["received"] ?? 0, seen["lost"] ?? 0, seen["span"] ?? 0)
        #expect(lost > 0 && received + lost == span)
        #expect(tone.server.figures.lostPackets >= UInt64(lost))
    }

    @Test func `says so where its socket cannot be listened at, and leaves nothing that others could wake`() throws {
        let configuration = PageConfiguration(PageAddress(port: 0))
        let socket = try ListeningSocket.open(configuration.address, operation: "listen", choice: "choose another")
        let inbox = PageInbox()
        do {
            let service = try PageService(configuration, socket, inbox, PagePublished()) { _ in }
            let library = try PageLibrary(configuration)
            let error = #expect(throws: StreamError.self) { try library.begin(service, listeningAt: -1) }
            #expect(error?.kind == .resources && error?.reason.contains("ulimit -n") == true, "\(error as Any)")
        }
        // The service, which never ran, has gone, and what it waited with.
        inbox.wake()
    }

    private func viewer(_ server: PageServer, _ protocolName: String) throws -> WebSocketClient {
        let page = try WebSocketClient(
            #require(WebAddress("ws://\(server.address)/live")), protocolName: protocolName, operation: "look",
            receives: true, waits: { true })
        #expect(try next(page) == #"{"mayControl":false}"#)
        return page
    }

    private func next(_ page: WebSocketClient) throws -> String? {
        guard case .text(let text)? = try page.receive(untilNanoseconds: MonotonicClock.nanoseconds() + 20_000_000_000)
        else { return nil }
        return text
    }

    @Test func `shows all to a page that comes, and then to those that ask for no more what has changed`() throws {
        let server = try PageServer(PageConfiguration(PageAddress(port: 0)))
        defer { server.stop(within: 0) }
        let scenes = [#"{"a":"x,}\"[","b":[1,{"c":2}],"d":null}"#, #"{"a":"x,}\"[","b":[1,{"c":3}],"d":0}"#]
        server.show(scenes[0])
        let whole = try viewer(server, "iounit.live.1")
        let changes = try viewer(server, "iounit.live.2")
        for page in [whole, changes] { #expect(try next(page) == scenes[0]) }
        for changed in [#"{"b":[1,{"c":3}],"d":0}"#, "{}"] {
            server.show(scenes[1])
            #expect(try next(whole) == scenes[1])
            #expect(try next(changes) == changed)
        }
    }

    @Test func `a page that did not take all changes knows all of them in the end`() throws {
        let server = try PageServer(PageConfiguration(PageAddress(port: 0)))
        defer { server.stop(within: 0) }
        let page = try viewer(server, "iounit.live.2")
        var last: [String: String] = [:]
        // More than the kernel keeps for one that does not read; apart from each other, so that the server takes them one by one.
        for round in 0..<200 {
            last["\(round % 4)"] = "\(round)" + String(repeating: "x", count: 20_000)
            server.show(String(decoding: try JSONEncoder().encode(last), as: UTF8.self))
            MonotonicClock.sleep(milliseconds: 2)
        }
        var known: [String: String] = [:]
        while known != last {
            let changes = try #require(try next(page))
            known.merge(try JSONDecoder().decode([String: String].self, from: Data(changes.utf8))) { $1 }
        }
    }

    @Test(arguments: ["iounit.live.1", "iounit.live.2"])
    func `leaves out what a page has no use for, and tells it all the rest once more`(_ protocolName: String) throws {
        let server = try PageServer(PageConfiguration(PageAddress(port: 0)))
        defer { server.stop(within: 0) }
        let takesChanges = protocolName == "iounit.live.2"
        var scene = #"{"a":1,"bb":[2,{"a":3}],"b":"x\"a\""}"#
        server.show(scene)
        let page = try viewer(server, protocolName)
        #expect(try next(page) == scene)
        /// What comes once the wish has arrived, which may be later than a scene or two.
        func wish(_ names: String) throws -> [String] {
            try page.send(.text("{\"without\":[\(names)]}"))
            var come: [String] = []
            for _ in 0..<5 {
                server.show(scene)
                come.append(try #require(try next(page)))
            }
            return come
        }
        let parts = #"{"a":1,"b":"x\"a\""}"#
        var come: [String] = []
        for _ in 0..<100 where !come.contains(parts) { come += try wish(#""bb","none""#) }
        #expect(come.contains(parts) && Set(come).isSubset(of: [parts, takesChanges ? "{}" : scene]), "\(come)")
        // One more for the last wish, which may have come after its scenes.
        server.show(scene)
        _ = try next(page)
        scene = #"{"a":1,"bb":[],"b":"y"}"#
        server.show(scene)
        let changed = try next(page)
        #expect(changed == #"{"a":1,"b":"y"}"# || changed == #"{"b":"y"}"# && takesChanges, "\(changed ?? "")")
        come = []
        for _ in 0..<100 where !come.contains(scene) { come += try wish("") }
        #expect(come.contains(scene), "\(come)")
    }

    /// A page that has asked the server for something.
    private func asker(_ server: PageServer) throws -> WebSocketClient {
        let token = try Secret(#require(server.configuration.token).revealed)
        let page = try WebSocketClient(
            #require(WebAddress("ws://\(server.address)/live")), protocolName: "iounit.live.1", operation: "control",
            token: token, receives: true, waits: { true })
        try page.send(.text(#"{"set":"gain","value":-3}"#))
        return page
    }

    @Test func `is not waited for without end where what it calls does not return, and ends when that does`() throws {
        var configuration = PageConfiguration(PageAddress(port: 0))
        configuration.hasControls = true
        let isCalled = Atomic<Bool>(false)
        let isOver = Semaphore()
        defer { isOver.handle.post() }
        let server = try PageServer(configuration) { _ in
            isCalled.store(true, ordering: .relaxed)
            isOver.wait()
        }
        let page = try asker(server)
        try waitUntil("the call") {
            try page.serve()
            return isCalled.load(ordering: .relaxed)
        }
        #expect(!server.stop(within: 0, patienceSeconds: 0.05))
        isOver.handle.post()
        try waitUntil("its end") { server.stop(within: 0) }
    }

    @Test func `can be ended by what it calls`() throws {
        var configuration = PageConfiguration(PageAddress(port: 0))
        configuration.hasControls = true
        let own = Mutex<PageServer?>(nil)
        let isEnded = Mutex<Bool?>(nil)
        let server = try PageServer(configuration) { _ in
            let result = own.withLock { $0 }?.stop(within: 0)
            isEnded.withLock { $0 = result }
        }
        own.withLock { $0 = server }
        defer { own.withLock { $0 = nil } }
        let page = try asker(server)
        try waitUntil("the call") {
            // The connection may have ended meanwhile.
            try? page.serve()
            return isEnded.withLock { $0 } == false
        }
        try waitUntil("its end") { server.stop(within: 0) }
    }

    @Test func `a connection that it takes is inherited by no program, and no call on it waits`() throws {
        let socket = try ListeningSocket.open(PageAddress(port: 0), operation: "listen", choice: "choose another")
        let address = try HostLookup(.tcp, host: "127.0.0.1", port: socket.port).addresses(
            operation: "call", advice: "", waits: { true })[0]
        let caller = address.makeSocket(.tcp)
        defer { close(caller) }
        // It does not wait for the answer.
        _ = address.connect(caller)
        var taken: CInt?
        try waitUntil("the call") {
            taken = socket.accept()
            return taken != nil
        }
        let connection = try #require(taken)
        defer { close(connection) }
        #expect(fcntl(connection, F_GETFD) & FD_CLOEXEC != 0 && fcntl(connection, F_GETFL) & O_NONBLOCK != 0)
    }

    @Test func `counts a connection that has asked for nothing, for as long as it is there`() throws {
        let server = try PageServer(PageConfiguration(PageAddress(port: 0)))
        defer { server.stop(within: 0) }
        let address = try HostLookup(.tcp, host: "127.0.0.1", port: server.address.port).addresses(
            operation: "call", advice: "", waits: { true })[0]
        let caller = address.makeSocket(.tcp)
        _ = address.connect(caller)
        try waitUntil("it counts") { server.figures.connections == 1 }
        close(caller)
        try waitUntil("it has gone") { server.figures.connections == 0 }
    }

    /// A socket of one who listens to a file, and the bytes that it sends together with its request.
    private func listener(to server: PageServer, sending more: String = "") throws -> CInt {
        let address = try HostLookup(.tcp, host: "127.0.0.1", port: server.address.port).addresses(
            operation: "call", advice: "", waits: { true })[0]
        let caller = address.makeSocket(.tcp)
        _ = address.connect(caller)
        let request = Array("GET /stream.wav HTTP/1.1\r\nHost: \(server.address)\r\n\r\n\(more)".utf8)
        try waitUntil("it asks") { send(caller, request, request.count, 0) == request.count }
        try waitUntil("it listens") { server.figures.listeners == 1 }
        return caller
    }

    @Test(arguments: [false, true])
    func `lets go who has left an endless file, or sends what nobody reads, though no sound comes`(
        _ sends: Bool
    ) throws {
        let server = try PageServer(PageConfiguration(PageAddress(port: 0)))
        defer { server.stop(within: 0) }
        let sink = server.begin(sampleRate: 48000, channels: 2)
        let caller = try listener(to: server)
        defer { close(caller) }
        let much = [UInt8](repeating: 120, count: 4096)
        #expect(sends ? send(caller, much, much.count, 0) == much.count : shutdown(caller, CInt(SHUT_WR)) == 0)
        try waitUntil("it has gone") { server.figures.listeners == 0 && server.figures.connections == 0 }
        withExtendedLifetime(sink) {}
    }

    @Test func `begins an endless file with sound, and not with the silence before it`() throws {
        let server = try PageServer(PageConfiguration(PageAddress(port: 0)))
        defer { server.stop(within: 0) }
        let sink = server.begin(sampleRate: 48000, channels: 2)
        let caller = try listener(to: server)
        defer { close(caller) }
        try sink.gap(nanoseconds: 1_000_000_000, cause: "reset", wallNanoseconds: 0)
        // A packet of 10 ms.
        let sound = [Float](repeating: 0.5, count: 2 * 480)
        try sink.send(PCMBuffer(StreamFormat(sampleRate: 48000, channels: 2), sound), wallNanoseconds: 0)
        var heard: [UInt8] = []
        var first: [UInt8] = []
        try waitUntil("it hears something") {
            var piece = [UInt8](repeating: 0, count: 65536)
            let count = recv(caller, &piece, piece.count, 0)
            heard += piece.prefix(max(0, count))
            // Samples come 28 bytes behind this word.
            let word = heard.firstRange(of: Array("WAVEfmt ".utf8))
            first = word.map { Array(heard[$0.upperBound...].dropFirst(28).prefix(4)) } ?? []
            return first.count == 4
        }
        #expect(first.contains { $0 != 0 })
    }

    /// Browsers decode Opus at 48 kHz, whatever the stream says.
    @Test func `has Opus at 48 kHz whatever the server has, and all else at the server's rate`() {
        let configuration = PageConfiguration()
        #expect(configuration.settings(.opus).sampleRate == 48000)
        for codec in [Codec.flac, .pcm16, .float] { #expect(configuration.settings(codec).sampleRate == nil) }
    }

    /// Hundredths of a second that the threads of all servers have had of a processor.
    private var ticks: Int {
        (Folder.names(in: "/proc/self/task") ?? []).reduce(0) { sum, number in
            let task = "/proc/self/task/\(number)"
            guard SmallFile.text("\(task)/comm") == "iounit-serve\n" else { return sum }
            let fields = SmallFile.text("\(task)/stat")?.split(separator: ")").last?.split(separator: " ") ?? []
            return sum + fields.dropFirst(11).prefix(2).compactMap { Int($0) }.reduce(0, +)
        }
    }

    @Test func `waits for what comes, also where more came with a request than is read`() throws {
        let server = try PageServer(PageConfiguration(PageAddress(port: 0)))
        defer { server.stop(within: 0) }
        let sink = server.begin(sampleRate: 48000, channels: 2)
        let caller = try listener(to: server, sending: "x")
        defer { close(caller) }
        let before = ticks
        // Nothing is waited for: it is the time in which the processor's is counted.
        MonotonicClock.sleep(milliseconds: 1000)
        #expect(ticks - before < 30)
        withExtendedLifetime(sink) {}
    }

    @Test func `encodes while somebody listens, and not before or after`() throws {
        let tone = try ServedTone()
        #expect(tone.server.figures.codecs == [])
        // As long as it is wanted.
        let client = try tone.client("crowd", "flac", "2", "600", in: folder)
        try waitUntil("they listen") { tone.server.figures.listeners == 2 }
        #expect(tone.server.figures.codecs == [.flac])
        client.program.end()
        try waitUntil("they are gone") { tone.server.figures.listeners == 0 }
        #expect(tone.server.figures.codecs == [])
    }

    @Test func `sends what its encoders hold back when nothing more comes`() throws {
        let frames = 1000
        let pieces = Mutex<[Broadcast.Piece]>([])
        let broadcast = Broadcast(PageConfiguration(PageAddress(port: 0)), sampleRate: 48000, channels: 2) { made in
            pieces.withLock { $0 += made }
        } fail: { codec in
            Issue.record("\(codec)")
        }
        broadcast.want([.flac])
        let sound = [Float](repeating: 0.25, count: 2 * frames)
        try broadcast.send(PCMBuffer(StreamFormat(sampleRate: 48000, channels: 2), sound), wallNanoseconds: 0)
        #expect(pieces.withLock(\.count) == 0, "a block of FLAC is longer")
        broadcast.finish()
        broadcast.finish()
        #expect(pieces.withLock { $0.map(\.packet.frames) } == [UInt32(frames)])
    }

    @Test(arguments: [
        ("opus", "audio/ogg; codecs=opus", "opus"), ("flac", "audio/flac", "flac"), ("wav", "audio/wav", "pcm_s16le"),
    ])
    func `sends endless files that a foreign program decodes, with silence where time is missing`(
        name: String, mediaType: String, codec: String
    ) throws {
        let tone = try ServedTone(gapEverySeconds: 0.5)
        let file = folder("a.\(name)")
        let client = try tone.client("get", "/stream.\(name)", "1.5", file, in: folder)
        let answer = try #require(try JSONSerialization.jsonObject(with: client.heard()) as? [String: Any])
        let late = Double(tone.lateNanoseconds) / 1e9
        #expect(answer["status"] as? Int == 200 && answer["type"] as? String == mediaType)
        let raw = folder("a.raw")
        // What is cut off at the end is no fault of the stream.
        let decoded = try Receiver(
            "/usr/bin/ffmpeg", ["-v", "error", "-i", file, "-map", "0:a", "-f", "f32le", "-ac", "1", raw, "-y"],
            folder: folder)
        _ = try decoded.heard()
        let samples = try Data(contentsOf: URL(fileURLWithPath: raw)).withUnsafeBytes {
            Array($0.bindMemory(to: Float.self))
        }
        // 1.5 s, or longer where the client was kept from its time, and up to so much less where the tone was.
        let heard = try #require(answer["seconds"] as? Double)
        let expected = (heard - late - 0.6)...(heard + 0.7)
        #expect(expected.contains(Double(samples.count) / 48000), "\(samples.count) in \(heard) s, \(late) s late")
        // The gaps are 4800 frames each.
        var quiet = 0
        var lengths: [Int] = []
        for sample in samples {
            if abs(sample) < 0.02 {
                quiet += 1
            } else {
                if quiet > 2000 { lengths.append(quiet) }
                quiet = 0
            }
        }
        #expect(lengths.count >= 1, "\(lengths) in \(samples.count)")
        let areRight = lengths.allSatisfy { abs($0 - 4800) < 1200 }
        #expect(areRight, "\(lengths)")
    }

    @Test func `says in one sentence why it cannot be where it was to be`() throws {
        let first = try PageServer(PageConfiguration(PageAddress(port: 0)))
        defer { first.stop(within: 0) }
        func kind(_ configuration: PageConfiguration) -> StreamError.Kind? {
            do throws(StreamError) {
                try PageServer(configuration).stop(within: 0)
                return nil
            } catch {
                #expect(!error.reason.isEmpty && !error.reason.contains("\n"))
                return error.kind
            }
        }
        #expect(kind(PageConfiguration(first.address)) == .occupied)
        #expect(kind(PageConfiguration(PageAddress(host: "192.0.2.1", port: 0))) == .network)
        #expect(kind(PageConfiguration(PageAddress(host: "no.such.name.invalid", port: 0))) == .unresolved)
        var secret = PageConfiguration(PageAddress(port: 0))
        secret.certificate = (folder("none.pem"), folder("none.pem"))
        #expect(kind(secret) == .unreadable)
        try put(Array("no certificate".utf8), at: folder("bad.pem"))
        secret.certificate = (folder("bad.pem"), folder("bad.pem"))
        #expect(kind(secret) == .badData)
    }

    @Test func `says what to do where a port is not for this user`() {
        let said = ListeningSocket.reason(EACCES, port: 80, "choose another with --port")
        #expect(said.contains("choose another with --port, from 1024 on, or"), "\(said)")
        #expect(said.hasSuffix("sysctl net.ipv4.ip_unprivileged_port_start=80"), "\(said)")
    }

    @Test func `makes a token where one is needed`() throws {
        #expect(try PageServer(PageConfiguration(PageAddress(port: 0))).configuration.token == nil)
        let open = try PageServer(PageConfiguration(PageAddress(host: "0.0.0.0", port: 0)))
        #expect(open.configuration.token != nil)
    }
}

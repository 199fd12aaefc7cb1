import CWebSockets

/// One connection of a client, and what it gets.
///
/// Thread: the server's.
final class PageConnection {
    /// What it is for.
    enum Role {
        /// Nothing yet, or an answer that is as short as it is said.
        case request
        /// A WebSocket with the packets of a stream.
        case packets(Codec)
        /// An endless file.
        case file(Codec)
        /// A WebSocket with the page's figures.
        case live(mayControl: Bool)
    }

    /// The WebSocket's protocol by which the figures come as `takesChanges` says.
    static let changesProtocol: StaticString = "iounit.live.2"

    let handle: WebConnection
    var role = Role.request
    /// Whether the WebSocket is open, or the head of the file has gone out.
    var isOpen = false
    var queue: ListenerQueue
    /// Of the encoding whose packets it gets.
    var generation: Int?
    /// Small messages that go before all else.
    var outbox: [(message: WireMessage, kind: lws_write_protocol)] = []
    /// The newest figures, where they have not gone out yet.
    var live: WireMessage?
    /// Whether it gets of the figures what has changed, once it has all of them.
    var takesChanges = false
    /// Whether it has had all of them since it said last which it has no use for.
    private var hasAll = false
    /// The names of those that it has no use for.
    private var unwanted: Set<ShownScene.Text> = []
    /// What has come of the message of the moment.
    var received: [UInt8] = []
    var muxer: (any StreamMuxer)?

    init(_ handle: WebConnection, queueSeconds: Double) {
        self.handle = handle
        queue = ListenerQueue(seconds: queueSeconds)
    }

    /// What it listens to.
    var codec: Codec? {
        switch role {
        case .packets(let codec), .file(let codec): codec
        case .request, .live: nil
        }
    }

    var isViewer: Bool { if case .live = role { true } else { false } }
    /// Whether the listener to a file has gone. Of a WebSocket the library tells it.
    var hasLeft: Bool { if case .file = role { handle.hasLeft } else { false } }

    /// Whether anything waits for it.
    var hasWork: Bool { !outbox.isEmpty || live != nil || queue.count > 0 || owesMore }
    /// Whether it has not got all of its last packet.
    private var owesMore: Bool { muxer?.hasMore ?? false }

    /// It is to see the figures as they are now. One that has not taken what came before gets all.
    func show(_ scene: ShownScene) {
        let isChange = takesChanges && hasAll && live == nil
        live = isChange ? scene.changes(without: unwanted) : scene.whole(without: unwanted)
        hasAll = live != nil
        wantsToSend()
    }

    /// With the next figures it gets all of them but these, and no more of these.
    func leaveOut(_ names: [String]) {
        unwanted = Set(names.map { Array($0.utf8)[...] })
        hasAll = false
    }

    /// Asks to be told when it takes more.
    func wantsToSend() { handle.askToWrite() }

    /// Sends one message; returns whether the connection lives.
    func sendMessage(_ figures: inout PageFigures) -> Bool {
        guard isOpen else { return true }
        defer { if hasWork { wantsToSend() } }
        if !outbox.isEmpty {
            let (message, kind) = outbox.removeFirst()
            return message.send(handle, kind)
        }
        if let message = live {
            live = nil
            return message.send(handle, LWS_WRITE_TEXT)
        }
        guard let (shared, lost, _) = queue.next() else { return true }
        let piece = shared.piece
        if generation == nil {
            generation = piece.generation
            if let header = piece.header { outbox.append((WireMessage(header.bytes), LWS_WRITE_BINARY)) }
            // It goes behind what a decoder needs first.
            outbox.append((shared.message, LWS_WRITE_BINARY))
            count(shared, &figures)
            return WireMessage(piece.opening.text).send(handle, LWS_WRITE_TEXT)
        }
        // One that listens to an encoding that has ended begins again.
        guard generation == piece.generation else { return false }
        count(shared, &figures)
        guard lost > 0 else { return shared.message.send(handle, LWS_WRITE_BINARY) }
        figures.lostPackets += UInt64(lost)
        var packet = piece.packet
        packet.flags.insert(.loss)
        packet.lostPackets = lost
        return WireMessage(packet.bytes).send(handle, LWS_WRITE_BINARY)
    }

    /// Sends what waits of a file, of a long silence a piece; returns whether the connection lives.
    func sendFile(_ figures: inout PageFigures) -> Bool {
        defer { if hasWork { wantsToSend() } }
        var bytes = owesMore ? muxer?.more() ?? [] : []
        while !owesMore, let (shared, lost, missing) = queue.next() {
            let piece = shared.piece
            // A stream begins with sound: what was silent before is none of this listener's time.
            if generation == nil, piece.packet.isGap { continue }
            if generation == nil {
                generation = piece.generation
                muxer = codec?.page?.makeMuxer(piece.opening, piece.header?.payload ?? [])
            }
            guard generation == piece.generation else { return false }
            figures.lostPackets += UInt64(lost)
            figures.sentPackets += 1
            bytes += muxer?.bytes(of: piece.packet, missing: missing) ?? []
        }
        guard !bytes.isEmpty else { return true }
        figures.sentBytes += UInt64(bytes.count)
        return WireMessage(bytes).send(handle, LWS_WRITE_HTTP)
    }

    /// Nothing more goes to it: counts what it lost since the packet that left last, of which no other one says it.
    func noteEnd(_ figures: inout PageFigures) {
        if queue.generation == generation { figures.lostPackets += UInt64(queue.lostPackets) }
    }

    private func count(_ shared: SharedPacket, _ figures: inout PageFigures) {
        figures.sentPackets += 1
        figures.sentBytes += UInt64(shared.message.count)
    }
}

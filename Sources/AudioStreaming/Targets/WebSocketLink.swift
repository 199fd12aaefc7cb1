/// The form `iounit.stream/1` by WebSocket: an opening in JSON, what a decoder needs, then packets, each a message.
///
/// A receiver that does not take them lets the link wait, and the queue lose whole packets, of which the next one says.
final class WebSocketLink: StreamLink {
    /// What both ends speak.
    static let protocolName = "iounit.stream.1"

    private let socket: WebSocketClient
    private let context: LinkContext
    private var hasOpened = false
    /// Messages that are no packets of the queue's.
    private var ownMessages: UInt64 = 0

    init(_ context: LinkContext) throws(StreamError) {
        let target = context.target
        let address = WebAddress(
            scheme: target.kind == .wss ? .wss : .ws, host: target.host, port: target.port, path: target.path)
        let trust =
            address.scheme.isEncrypted
            ? try WebTrust(file: target.access.certificatesPath, operation: context.operation) : nil
        socket = try WebSocketClient(
            address, protocolName: Self.protocolName, operation: context.operation, token: target.access.secret,
            trust: trust, receives: false, answerSeconds: context.answerSeconds, waits: context.waits)
        self.context = context
    }

    func send(_ packet: StreamPacket) throws(StreamError) -> Bool {
        if !hasOpened {
            try open(at: packet)
            hasOpened = true
        }
        try socket.send(.binary(packet.bytes))
        return true
    }

    private func open(at packet: StreamPacket) throws(StreamError) {
        var opening = context.opening
        opening.firstFrame = packet.firstFrame
        opening.wallNanoseconds = packet.wallNanoseconds
        try socket.send(.text(opening.text))
        ownMessages = 1
        guard let header = packet.header(context.header) else { return }
        try socket.send(.binary(header.bytes))
        ownMessages = 2
    }

    func idle() throws(StreamError) { try socket.serve() }

    func close() throws(StreamError) { try socket.close() }

    var sentBytes: UInt64 { socket.sentBytes }

    var unconfirmedPackets: UInt64 { min(socket.unconfirmedMessages, socket.sentMessages - ownMessages) }
}

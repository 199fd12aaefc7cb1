import CWebSockets
import Glibc

/// What libwebsockets reports of a connection.
enum WebEvent {
    /// The server has answered as it should.
    case opened
    /// One thing may be written.
    case writable
    /// A piece of a message.
    case message([UInt8])
    /// The server answered a ping, with its bytes.
    case pong([UInt8])
    /// A piece of the body of an answer.
    case body([UInt8])
    /// No more of the body comes. Without a length the library reports this for a broken connection too.
    case bodyEnded
    /// The library has read from the body, and the connection lives on.
    case bodyRead
    /// The server ends the WebSocket: a code of two bytes, and words.
    case ending([UInt8])
    /// There is no connection any more.
    case closed
}

/// What is done with a connection of a `WebClient`: one takes WebSocket messages, another the body of an answer.
protocol WebHandler: AnyObject {
    /// The WebSocket's protocol that is asked for; `nil` for a plain request by GET.
    var protocolName: String? { get }

    /// - Parameter connection: valid within the call.
    /// - Returns: whether to go on; else the connection is closed.
    func handle(_ event: WebEvent, on connection: WebConnection) -> Bool
}

/// Which connection of libwebsockets, of a client or of the page's server. Valid until the library has said that it is gone.
@safe struct WebConnection: Hashable {
    let raw: OpaquePointer

    @unsafe init(_ raw: OpaquePointer) { unsafe self.raw = raw }

    static func == (left: Self, right: Self) -> Bool { unsafe left.raw == right.raw }

    func hash(into hasher: inout Hasher) { unsafe hasher.combine(raw) }

    /// Lets the handler's turn to write come.
    func askToWrite() { _ = unsafe lws_callback_on_writable(raw) }

    /// Lets more come, or no more.
    func setReceiving(_ isReceiving: Bool) { _ = unsafe lws_rx_flow_control(raw, isReceiving ? 1 : 0) }

    /// Writes one message, once after each `writable`. The library keeps what the network does not take at once.
    ///
    /// - Returns: whether the connection lives.
    func write(_ bytes: [UInt8], _ kind: lws_write_protocol) -> Bool { WireMessage(bytes).send(self, kind) }

    /// Whether the library keeps some of what was written still.
    var isKeeping: Bool { unsafe lws_partial_buffered(raw) != 0 }

    /// Whether its client has gone, or sends much behind its request. What lies in the socket is thrown away.
    var hasLeft: Bool {
        // Longer than what a client says of itself, as in the records of TLS.
        var bytes = [UInt8](repeating: 0, count: 2048)
        let count = unsafe recv(lws_get_socket_fd(raw), &bytes, bytes.count, CInt(MSG_DONTWAIT))
        return count < 0 ? errno != EAGAIN && errno != EINTR : count == 0 || count == bytes.count
    }

    /// What the WebSocket ends with when the handler next returns `false`.
    func noteGoodEnd() { unsafe lws_close_reason(raw, LWS_CLOSE_STATUS_NORMAL, nil, 0) }

    /// Of the WebSocket: the protocol that was agreed on; the library's first one where the client named none.
    var protocolName: String {
        // SAFETY: constants of the library's user, which end with a zero.
        unsafe lws_get_protocol(raw)?.pointee.name.map { unsafe String(cString: $0) } ?? ""
    }

    /// Whether the WebSocket ends: its Close frame has gone out, or goes out next.
    var isClosing: Bool { unsafe lws_get_close_length(raw) > 0 }

    /// Whether the piece of a message that came just now is its last.
    var isMessageComplete: Bool {
        unsafe lws_is_final_fragment(raw) != 0 && lws_remaining_packet_payload(raw) == 0
    }

    /// Whether it is of a message of bytes, and not of text.
    var isBinary: Bool { unsafe lws_frame_is_binary(raw) != 0 }

    /// Of the answer.
    var status: Int { Int(unsafe lws_http_client_http_response(raw)) }

    /// What is said of the body of an answer.
    var facts: WebFacts {
        let interval = unsafe text { unsafe lws_hdr_custom_copy(raw, $0, $1, "icy-metaint:", 12) }.flatMap { Int($0) }
        let coding = header(WSI_TOKEN_HTTP_TRANSFER_ENCODING)?.lowercased() ?? ""
        return WebFacts(
            length: header(WSI_TOKEN_HTTP_CONTENT_LENGTH).flatMap { Int($0) }.flatMap { $0 >= 0 ? $0 : nil },
            isChunked: coding.contains("chunked"), metadataInterval: interval.flatMap { $0 > 0 ? $0 : nil })
    }

    /// Where it is now, of an answer that says so.
    var location: String? { header(WSI_TOKEN_HTTP_LOCATION) }

    private func header(_ token: lws_token_indexes) -> String? {
        unsafe text { unsafe lws_hdr_copy(raw, $0, $1, token) }
    }

    /// - Parameter copy: writes into a buffer of the given size; returns the length, or 0 or less where there is nothing.
    private func text(_ copy: (UnsafeMutablePointer<CChar>?, CInt) -> CInt) -> String? {
        var room = [CChar](repeating: 0, count: 2048)
        // SAFETY: the buffer has the size that is passed.
        let count = unsafe room.withUnsafeMutableBufferPointer { unsafe copy($0.baseAddress, CInt($0.count)) }
        guard count > 0, count < room.count else { return nil }
        var text = String(decoding: room.prefix(Int(count)).map { UInt8(bitPattern: $0) }, as: UTF8.self)
            .trimmingPrefix(while: \.isWhitespace)
        while text.last?.isWhitespace == true { text.removeLast() }
        return String(text)
    }

    /// Of the socket.
    var descriptor: CInt { unsafe lws_get_socket_fd(raw) }

    /// Whether the server has sent anything yet.
    var hasReceived: Bool { cws_has_received(descriptor) }

    /// Lets the library read from the body of an answer, which comes back as `body`.
    ///
    /// - Returns: whether the connection lives.
    func readBody() -> Bool {
        var room = [CChar](repeating: 0, count: cws_room_before + 16384)
        var count = CInt(16384)
        // SAFETY: the room before the data is the library's, and the buffer has the size that is passed.
        return unsafe room.withUnsafeMutableBufferPointer { room in
            var start = unsafe room.baseAddress?.advanced(by: cws_room_before)
            return unsafe lws_http_client_read(raw, &start, &count) >= 0
        }
    }
}

import CWebSockets

/// Bytes to be sent, with the room before them that libwebsockets writes its own header into.
///
/// Thread: one at a time.
final class WireMessage {
    private var bytes: [UInt8]

    init(_ payload: [UInt8]) { bytes = [UInt8](repeating: 0, count: cws_room_before) + payload }

    convenience init(_ text: String) { self.init(Array(text.utf8)) }

    /// Of the payload.
    var count: Int { bytes.count - cws_room_before }

    /// Hands it to the library, which keeps a copy of what it cannot send at once; returns whether the connection lives.
    func send(_ connection: WebConnection, _ kind: lws_write_protocol) -> Bool {
        let count = count
        return unsafe bytes.withUnsafeMutableBufferPointer { buffer in
            // SAFETY: as many bytes as it says, behind the room that the library asks for.
            guard let start = buffer.baseAddress else { return true }
            return unsafe lws_write(connection.raw, start + cws_room_before, count, kind) >= 0
        }
    }
}

/// An open libjack client. It is closed when the value ends, and every port, buffer and pointer with it.
struct Connection: ~Copyable, Sendable {
    let hub: NotificationHub

    deinit {
        // Where the close does not come back in time, the control thread goes on with it.
        try? LibJack.close(hub)
    }

    /// Closes the client now.
    ///
    /// - Throws: `unresponsive` where libjack does not come back in time. It goes on with it, and what the callbacks use
    ///   is kept until then.
    consuming func close() throws(JackError) { try LibJack.close(hub) }
}

/// A client's address for the audio thread. It is valid while the client is active.
@safe public struct ClientHandle: @unchecked Sendable {
    // Sendable: libjack's functions on clients may be called from any thread.
    let raw: OpaquePointer

    init(_ raw: OpaquePointer) { unsafe self.raw = raw }
}

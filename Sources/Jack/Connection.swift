import CJack

/// An open libjack client. It is closed when the value ends, and every port, buffer and pointer with it.
@safe struct Connection: ~Copyable, @unchecked Sendable {
    // Sendable: libjack's functions on clients may be called from any thread.
    let raw: OpaquePointer
    let hub: NotificationHub

    init(_ raw: OpaquePointer) {
        unsafe self.raw = raw
        hub = unsafe NotificationHub(client: raw)
        // libjack's pointer to the hub counts as a reference, given back below.
        unsafe installCallbacks(on: raw, hub: Unmanaged.passRetained(hub).toOpaque())
    }

    deinit {
        // After the close no callback runs any more.
        unsafe LibJack.close(raw)
        hub.finish()
        unsafe Unmanaged.passUnretained(hub).release()
    }
}

/// A client's address for the audio thread. It is valid while the client is active.
@safe public struct ClientHandle: @unchecked Sendable {
    // Sendable: the functions that `Cycle` calls with it belong to whatever thread libjack calls us on.
    let raw: OpaquePointer

    init(_ raw: OpaquePointer) { unsafe self.raw = raw }
}

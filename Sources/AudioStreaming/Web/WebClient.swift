import CWebSockets
import Glibc
import Threads

/// One connection of libwebsockets to a server, from its name to the answer to the request.
///
/// It has a context of its own, which works only within `open` and `serve`: there is no other thread, so that nothing
/// happens to a handler while it is not asked to. libwebsockets resolves names and connects to addresses in turn without
/// saying what failed, so that the first is done here, and the last is tried once more to learn the reason.
///
/// Thread: one at a time, any that may block.
@safe final class WebClient {
    /// Whom to ask, and how.
    let address: WebAddress
    private let operation: String
    private let token: Secret?
    private let trust: WebTrust?
    private let waits: () -> Bool
    private let connectNanoseconds: UInt64
    private var state = State()
    private var raw: UnsafeMutablePointer<cws_client>?

    /// From the first byte to the answer.
    private static let answerNanoseconds: UInt64 = 10_000_000_000
    /// So often is asked whether to go on waiting.
    private static let lookNanoseconds: UInt64 = 100_000_000
    /// More files than a context of libwebsockets takes.
    private static let contextDescriptors = 8
    /// As much as the kernel holds of what a server has not taken, with what it adds for itself: a slow one is not sent what was
    /// long ago.
    fileprivate static let sendBytes: CInt = 256 << 10

    /// What the callback reaches. libwebsockets calls it also while the client is freed.
    fileprivate final class State {
        weak var handler: (any WebHandler)?
        /// Lines that are put into the request.
        var lines = ""
        /// `nil` while there is none.
        var connection: WebConnection?
        /// Whether a server took the connection, and answered.
        var isReached = false
        var isOpen = false
        var status: Int?
        /// Where the server says that it is now.
        var location: String?
        var certificateError: String?
        /// In the library's words.
        var failure: String?
    }

    /// - Parameters:
    ///   - operation: what errors say was being done.
    ///   - token: sent in a header, and to that server alone.
    ///   - trust: of an encrypted connection.
    ///   - connectSeconds: how long each address but the last has to take the connection, 10 at the most.
    ///   - waits: asked ten times a second whether to go on waiting.
    /// - Throws: `missing`.
    init(
        _ address: WebAddress, operation: String, token: Secret?, trust: WebTrust?, connectSeconds: Double = 10,
        waits: @escaping () -> Bool
    ) throws(StreamError) {
        try WebTrust.prepare(for: operation)
        connectNanoseconds = min(UInt64(connectSeconds * 1e9), Self.answerNanoseconds)
        self.address = address
        self.operation = operation
        self.token = token
        self.trust = trust
        self.waits = waits
    }

    deinit { free() }

    private func free() {
        unsafe cws_client_free(raw)
        unsafe raw = nil
    }

    /// Where the server says that what was asked for is; `nil` where it says no such thing.
    var redirection: String? {
        state.status.map { [301, 302, 303, 307, 308].contains($0) } == true ? state.location : nil
    }

    /// Whether there is a connection.
    var isOpen: Bool { state.isOpen && state.connection != nil }

    /// Connects to each address of the host in turn until one takes the connection, and waits for the answer.
    ///
    /// - Throws: `unresolved`, `network`, `denied`, `untrusted`, `protocolError`, `resources`.
    func open(_ handler: any WebHandler) throws(StreamError) {
        if address.scheme.isEncrypted, address.host.contains(":") {
            throw fail(.unsupported, "certificates name hosts: write the host's name in place of its IPv6 address")
        }
        try open(handler, at: Socket.addresses(of: address.host, operation: operation, waits: waits))
    }

    /// - Parameter addresses: of the host.
    func open(_ handler: any WebHandler, at addresses: [String]) throws(StreamError) {
        for (index, numeric) in addresses.enumerated() {
            try open(handler, numeric, isLast: index == addresses.count - 1)
            if state.isOpen, handler.protocolName != nil || state.status == 200 { return }
            if state.isReached { throw refusal }
        }
        // The reason for which no address took the connection.
        _ = try Socket.connect(.tcp, host: address.host, port: address.port, operation: operation, waits: waits)
        throw fail(.network, "the connection broke while it was made")
    }

    private func open(_ handler: any WebHandler, _ numeric: String, isLast: Bool) throws(StreamError) {
        free()
        // Nothing of the address before.
        state = State()
        state.handler = handler
        state.lines = token.map { "Authorization: Bearer \($0.text)\r\n" } ?? ""
        // Without titles between the sound.
        if handler.protocolName == nil { state.lines += "Icy-MetaData: 0\r\nUser-Agent: iounit\r\n" }
        // SAFETY: the state lives as long as this object, whose end frees the client first.
        let made = unsafe cws_client_make(Unmanaged.passUnretained(state).toOpaque(), callback, trust?.raw)
        guard let made = unsafe made else {
            throw fail(.resources, DescriptorLimit.shortage(of: Self.contextDescriptors) ?? "there is no more memory")
        }
        unsafe raw = made
        let start = MonotonicClock.nanoseconds()
        let host = address.authority
        let method = handler.protocolName == nil ? "GET" : nil
        let hasBegun = unsafe cws_client_connect(
            made, numeric, CInt(address.port), host, address.path, handler.protocolName, method,
            address.scheme.isEncrypted)
        guard hasBegun else { return }
        while !state.isOpen, state.failure == nil {
            let now = MonotonicClock.nanoseconds()
            let deadline = start + (state.isReached || isLast ? Self.answerNanoseconds : connectNanoseconds)
            let isWanted = waits()
            guard now < deadline, isWanted else {
                // Where no word comes back from one address another may answer, as by IPv4 where IPv6 leads nowhere.
                if isWanted, !state.isReached, !isLast { return }
                if state.connection?.hasReceived == true { throw refusal }
                throw fail(.network, state.isReached ? Self.silence : networkError(ETIMEDOUT))
            }
            serve(untilNanoseconds: min(deadline, now + Self.lookNanoseconds))
        }
    }

    private static let silence = "it takes connections and does not answer; does it still run?"

    /// Lets libwebsockets do what is to be done, or waits for it, up to a time of the monotonic clock. May return earlier.
    func serve(untilNanoseconds time: UInt64) {
        guard let raw = unsafe raw else { return }
        let now = MonotonicClock.nanoseconds()
        unsafe cws_client_serve(raw, time > now ? Int64(clamping: (time - now) / 1000) : 0)
    }

    /// Lets the handler's turn to write come.
    func askToWrite() { state.connection?.askToWrite() }

    /// Lets more come, or no more.
    func setReceiving(_ isReceiving: Bool) { state.connection?.setReceiving(isReceiving) }

    /// What is wrong, in a sentence.
    func fail(_ kind: StreamError.Kind, _ reason: String) -> StreamError { StreamError(kind, operation, reason) }

    /// Why a server that was reached did not give what was asked for.
    private var refusal: StreamError {
        if let error = state.certificateError {
            let advice =
                error.contains("mismatch")
                ? "write the host that it is for" : "name the file of its authority with --tls-ca"
            return fail(.untrusted, "its certificate is not accepted (\(error)); \(advice)")
        }
        // What follows a question mark may be a secret.
        let path = address.path.prefix { $0 != "?" }
        let what = address.scheme == .ws || address.scheme == .wss ? "WebSocket" : "stream"
        switch state.status {
        case 401?, 403?:
            return fail(
                .denied, token == nil ? "it asks for a token; give it with --token" : "it does not accept the token")
        case let status? where (300...399).contains(status):
            return fail(.protocolError, "it answers \(status): it is elsewhere now; write the new address")
        case let status? where status >= 500:
            return fail(.network, "it answers \(status), which means trouble of its own")
        // A mount of a station comes and goes.
        case 404? where what == "stream", 410? where what == "stream":
            return fail(.network, "it has no stream at \(path); check the path")
        case 404?, 405?, 410?: return fail(.protocolError, "it has no \(what) at \(path); check the path")
        case let status? where status != 101 && status != 200:
            return fail(.protocolError, "it answers \(status) and gives no \(what)")
        default: break
        }
        if state.status == 200, what == "WebSocket" {
            return fail(.protocolError, "it answers with a page and gives no WebSocket; check the path")
        }
        let failure = state.failure ?? ""
        if failure.contains("SSL") || failure.contains("SYSCALL") || failure.contains("tls") {
            return fail(.protocolError, "it does not speak TLS, or none of the versions 1.2 and 1.3; try it without")
        }
        if ["Peer hung up", "read failed"].contains(failure) {
            return fail(.network, "it closed the connection before it answered; is it a server of \(what)s?")
        }
        if failure.hasPrefix("Timed out") { return fail(.network, Self.silence) }
        return fail(
            .protocolError,
            "it does not answer as a server of \(what)s\(address.scheme.isEncrypted ? "" : ", or wants TLS (\(encrypted))")"
        )
    }

    private var encrypted: String { address.scheme == .ws ? "wss://" : "https://" }
}

/// What libwebsockets calls.
@unsafe private func callback(
    _ raw: OpaquePointer?, _ reason: lws_callback_reasons, _ user: UnsafeMutableRawPointer?,
    _ bytes: UnsafeMutableRawPointer?, _ count: Int
) -> CInt {
    guard let raw = unsafe raw, let context = unsafe lws_get_context(raw),
        let opaque = unsafe lws_context_user(context)
    else { return 0 }
    // SAFETY: the client keeps its state until the context is gone.
    let state = unsafe Unmanaged<WebClient.State>.fromOpaque(opaque).takeUnretainedValue()
    let connection = unsafe WebConnection(raw)
    switch reason {
    case LWS_CALLBACK_CLIENT_APPEND_HANDSHAKE_HEADER: return unsafe append(state.lines, bytes, count)
    case LWS_CALLBACK_OPENSSL_PERFORM_SERVER_CERT_VERIFICATION:
        // Here `count` is whether OpenSSL accepts the certificate, and `user` what it found.
        if count == 0 { state.certificateError = unsafe String(cString: cws_certificate_error(user)) }
        return 0
    case LWS_CALLBACK_CLIENT_CONNECTION_ERROR:
        let words = unsafe handedBytes(bytes, count).prefix { $0 != 0 }
        state.failure = state.failure ?? String(decoding: words, as: UTF8.self)
        return 0
    case LWS_CALLBACK_RECEIVE_CLIENT_HTTP: guard connection.readBody() else { return -1 }
    // Of a piece of 2 GiB or more the library makes a negative number, and next it would read before its buffer.
    case LWS_CALLBACK_RECEIVE_CLIENT_HTTP_READ where count < 0: return -1
    default: break
    }
    guard let event = unsafe state.note(reason, connection, bytes, count), let handler = state.handler else { return 0 }
    return handler.handle(event, on: connection) ? 0 : -1
}

extension WebClient.State {
    /// - Returns: what happened, for the handler.
    @unsafe fileprivate func note(
        _ reason: lws_callback_reasons, _ connection: WebConnection, _ bytes: UnsafeMutableRawPointer?, _ count: Int
    ) -> WebEvent? {
        switch reason {
        case LWS_CALLBACK_WSI_CREATE:
            isReached = true
            self.connection = connection
            Socket.set(SOL_SOCKET, SO_SNDBUF, WebClient.sendBytes, of: connection.descriptor)
        case LWS_CALLBACK_WSI_DESTROY where self.connection == connection:
            self.connection = nil
            return .closed
        case LWS_CALLBACK_ESTABLISHED_CLIENT_HTTP:
            (status, location) = (connection.status, connection.location)
            guard handler?.protocolName == nil else { return nil }
            // A WebSocket asks the server itself.
            Socket.noticeLoss(of: connection.descriptor)
            isOpen = true
            return .opened
        case LWS_CALLBACK_CLIENT_ESTABLISHED:
            isOpen = true
            return .opened
        case LWS_CALLBACK_CLIENT_WRITEABLE: return .writable
        case LWS_CALLBACK_CLIENT_RECEIVE: return unsafe .message(handedBytes(bytes, count))
        case LWS_CALLBACK_CLIENT_RECEIVE_PONG: return unsafe .pong(handedBytes(bytes, count))
        case LWS_CALLBACK_RECEIVE_CLIENT_HTTP_READ: return unsafe .body(handedBytes(bytes, count))
        case LWS_CALLBACK_COMPLETED_CLIENT_HTTP: return .bodyEnded
        case LWS_CALLBACK_RECEIVE_CLIENT_HTTP: return .bodyRead
        case LWS_CALLBACK_WS_PEER_INITIATED_CLOSE: return unsafe .ending(handedBytes(bytes, count))
        default: break
        }
        return nil
    }
}

/// What libwebsockets hands to a callback.
@unsafe func handedBytes(_ bytes: UnsafeMutableRawPointer?, _ count: Int) -> [UInt8] {
    // SAFETY: libwebsockets hands over so many.
    unsafe Array(UnsafeRawBufferPointer(start: bytes, count: bytes == nil ? 0 : count))
}

/// Puts lines into the request.
///
/// - Parameter place: of a pointer to the end of what is there already, with room for `count` bytes.
@unsafe private func append(_ lines: String, _ place: UnsafeMutableRawPointer?, _ count: Int) -> CInt {
    guard !lines.isEmpty, let place = unsafe place else { return 0 }
    let bytes = Array(lines.utf8)
    guard bytes.count <= count else { return -1 }
    // SAFETY: libwebsockets' description of this callback; the room was checked.
    let end = unsafe place.assumingMemoryBound(to: UnsafeMutablePointer<UInt8>.self)
    unsafe end.pointee.update(from: bytes, count: bytes.count)
    unsafe end.pointee += bytes.count
    return 0
}

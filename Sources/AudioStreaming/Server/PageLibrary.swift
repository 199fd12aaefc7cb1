import CWebSockets
import Glibc
import Threads

/// What there is of libwebsockets: one context with one virtual host, and the connections that were adopted.
///
/// Thread: as `PageService`.
@safe final class PageLibrary {
    let context: OpaquePointer
    private let host: OpaquePointer
    private let isSecure: Bool
    private let operation: String
    private var isEnded = false
    /// Whom the callback is for.
    fileprivate final class Callee {
        unowned(unsafe) var service: PageService?
        /// How often the library has called.
        var calls: UInt64 = 0
    }
    private let callee = Callee()
    /// When it is looked next who has gone, on the monotonic clock.
    private var nextLook: UInt64 = 0
    private static let lookNanoseconds: UInt64 = 100_000_000

    /// How many files this program may have open, as the library sees it. A limit beyond ten millions it takes for a mistake; its table
    /// has room for 2560 then, and it writes beyond that.
    static var descriptorLimit: Int {
        let limit = DescriptorLimit.limit
        return limit > 10_000_000 ? 2560 : limit
    }

    /// Seconds after which one who says nothing is asked whether he is there, and after which he is not.
    private static let (pingSeconds, hangUpSeconds): (UInt16, UInt16) = (20, 90)
    /// After so many one who has not asked for anything goes.
    private static let askSeconds: UInt32 = 5
    private static let names: [StaticString] = [
        "iounit", "iounit.stream.1", "iounit.live.1", PageConnection.changesProtocol,
    ]

    /// The library's word for a connection of which it reads nothing itself.
    private static let rawRole: StaticString = "raw-skt"

    // `nonisolated(unsafe)`: made once for all servers, never freed, and only read from then on.
    nonisolated(unsafe) private static let protocols: UnsafePointer<lws_protocols> = {
        // SAFETY: as many as are initialised; the last one, which is empty, ends the list.
        let protocols = UnsafeMutablePointer<lws_protocols>.allocate(capacity: names.count + 1)
        unsafe protocols.initialize(repeating: lws_protocols(), count: names.count + 1)
        for (index, name) in names.enumerated() {
            // SAFETY: constants, which end with a zero.
            unsafe protocols[index].name = UnsafeRawPointer(name.utf8Start).assumingMemoryBound(to: CChar.self)
            unsafe protocols[index].callback = pageCallback
            unsafe protocols[index].rx_buffer_size = 2048
        }
        return unsafe UnsafePointer(protocols)
    }()
    // `nonisolated(unsafe)`: as `protocols`, made once, never freed, and only read from then on.
    nonisolated(unsafe) private static let policy: UnsafePointer<lws_retry_bo_t> = {
        let policy = UnsafeMutablePointer<lws_retry_bo_t>.allocate(capacity: 1)
        unsafe policy.initialize(to: lws_retry_bo_t())
        unsafe policy.pointee.secs_since_valid_ping = pingSeconds
        unsafe policy.pointee.secs_since_valid_hangup = hangUpSeconds
        return unsafe UnsafePointer(policy)
    }()

    init(_ configuration: PageConfiguration) throws(StreamError) {
        operation = "serve the page at \(configuration.address)"
        if let certificate = configuration.certificate {
            for path in [certificate.certificatePath, certificate.keyPath] {
                try StreamError.check(readable: path, operation)
            }
        }
        do { try OptionalLibrary.libwebsockets.load() } catch { throw StreamError(error, operation) }
        lws_set_log_level(0, nil)
        isSecure = configuration.certificate != nil

        var info = unsafe lws_context_creation_info()
        unsafe info.port = CONTEXT_PORT_NO_LISTEN
        unsafe info.protocols = Self.protocols
        unsafe info.retry_and_idle_policy = Self.policy
        unsafe info.options =
            UInt64(LWS_SERVER_OPTION_EXPLICIT_VHOSTS) | UInt64(LWS_SERVER_OPTION_VALIDATE_UTF8)
        // A request by a method that the library does not know comes to us as it is; else the library says 403 for us.
        unsafe info.options |= UInt64(LWS_SERVER_OPTION_FALLBACK_TO_APPLY_LISTEN_ACCEPT_CONFIG)
        // SAFETY: a constant, which ends with a zero.
        unsafe info.listen_accept_role = UnsafeRawPointer(Self.rawRole.utf8Start).assumingMemoryBound(to: CChar.self)
        unsafe info.listen_accept_protocol = Self.protocols[0].name
        if isSecure { unsafe info.options |= UInt64(LWS_SERVER_OPTION_DO_SSL_GLOBAL_INIT) }
        unsafe info.max_http_header_data = 16384
        // Room for the headers of as many as are let in: each has its own from the first moment.
        unsafe info.max_http_header_pool = 0
        unsafe info.timeout_secs = Self.askSeconds
        unsafe info.timeout_secs_ah_idle = Self.askSeconds
        unsafe info.keepalive_timeout = 15
        unsafe info.gid = -1
        unsafe info.uid = -1
        unsafe info.user = Unmanaged.passUnretained(callee).toOpaque()
        guard let context = unsafe lws_create_context(&info) else {
            throw StreamError(
                .resources, operation, "libwebsockets gives no context; are there enough files and memory?")
        }
        unsafe self.context = context
        let host = unsafe Self.makeHost(context, &info, configuration.certificate)
        guard let host = unsafe host else {
            unsafe lws_context_destroy(context)
            throw StreamError(
                .badData, operation,
                "the certificate and the key are not those of one another, or are no PEM; name others by --tls-cert and "
                    + "--tls-key")
        }
        unsafe self.host = host
    }

    private static func makeHost(
        _ context: OpaquePointer, _ info: inout lws_context_creation_info,
        _ certificate: (certificatePath: String, keyPath: String)?
    ) -> OpaquePointer? {
        guard let certificate else { return unsafe lws_create_vhost(context, &info) }
        return unsafe certificate.certificatePath.withCString { certificatePath in
            unsafe certificate.keyPath.withCString { keyPath in
                unsafe "http/1.1".withCString { alpn in
                    unsafe info.ssl_cert_filepath = certificatePath
                    unsafe info.ssl_private_key_filepath = keyPath
                    unsafe info.alpn = alpn
                    // Otherwise the library keeps the certificate for itself.
                    unsafe info.port = CONTEXT_PORT_NO_LISTEN_SERVER
                    return unsafe lws_create_vhost(context, &info)
                }
            }
        }
    }

    /// From here on the service hears of everything, connections at a socket that listens among it.
    ///
    /// - Throws: `resources`; then the service hears of nothing.
    func begin(_ service: PageService, listeningAt descriptor: CInt) throws(StreamError) {
        // The library closes what it has adopted; the socket has an owner.
        let copy = fcntl(descriptor, F_DUPFD_CLOEXEC, 3)
        guard copy >= 0 else {
            throw StreamError(
                .resources, operation, "its socket cannot be copied (\(FileError.reason)); \(DescriptorLimit.advice)")
        }
        let adopted = unsafe lws_adopt_descriptor_vhost(
            host, LWS_ADOPT_RAW_FILE_DESC, lws_sock_file_fd_type(filefd: copy), Self.protocols[0].name, nil)
        // A copy that is refused may already be the library's to close.
        guard unsafe adopted != nil else {
            throw StreamError(.resources, operation, "libwebsockets refuses its socket; \(DescriptorLimit.advice)")
        }
        unsafe callee.service = service
    }

    /// Nobody hears anything any more.
    func end() {
        guard !isEnded else { return }
        isEnded = true
        unsafe lws_context_destroy(context)
    }

    deinit { end() }

    /// - Returns: `nil` where it cannot be taken, and is closed.
    func adopt(_ descriptor: CInt) -> WebConnection? {
        var kind = LWS_ADOPT_HTTP.rawValue | LWS_ADOPT_SOCKET.rawValue
        if isSecure { kind |= LWS_ADOPT_ALLOW_SSL.rawValue }
        // It closes what it does not take.
        let handle = unsafe lws_adopt_descriptor_vhost(
            host, lws_adoption_type(rawValue: kind), lws_sock_file_fd_type(sockfd: descriptor), nil, nil)
        return unsafe handle.map { unsafe WebConnection($0) }
    }

    /// Waits for something to happen, and has the service hear of it; returns whether there is more to wait for.
    func service() -> Bool {
        let before = callee.calls
        // The library keeps what came together with the request for a file, which nobody takes, and does not wait from then on.
        defer { if callee.calls == before { MonotonicClock.sleep(milliseconds: 1) } }
        return unsafe lws_service(context, 0) >= 0
    }

    /// Whether it is time to look who has gone: now and then, for it asks the kernel of each.
    func takeLook() -> Bool {
        let now = MonotonicClock.nanoseconds()
        guard now >= nextLook else { return false }
        nextLook = now + Self.lookNanoseconds
        return true
    }

    /// Ends a connection soon.
    func close(_ handle: WebConnection) {
        unsafe lws_set_timeout(handle.raw, PENDING_TIMEOUT_CLOSE_SEND, -1)
    }

    /// Answers a request whole; returns what the callback returns.
    func send(_ response: PageResponse, to handle: WebConnection, isHead: Bool) -> CInt {
        let message = WireMessage(response.head + (isHead ? [] : response.body))
        guard message.send(handle, LWS_WRITE_HTTP_FINAL) else { return -1 }
        return unsafe lws_http_transaction_completed(handle.raw) != 0 ? -1 : 0
    }

    /// Sends the head of an answer that has no end.
    func begin(_ response: PageResponse, to handle: WebConnection) -> CInt {
        guard WireMessage(response.head).send(handle, LWS_WRITE_HTTP_HEADERS) else { return -1 }
        // Nobody looks at what it asked for any more.
        _ = unsafe lws_http_headers_detach(handle.raw)
        unsafe lws_set_timeout(handle.raw, NO_PENDING_TIMEOUT, 0)
        return 0
    }

    /// What a client asks for, from the headers, which are there until the answer.
    @unsafe static func request(_ handle: OpaquePointer, isUpgrade: Bool) -> PageRequest {
        func header(_ token: lws_token_indexes) -> String? {
            let length = unsafe lws_hdr_total_length(handle, token)
            guard length > 0 else { return nil }
            var bytes = [CChar](repeating: 0, count: Int(length) + 1)
            guard unsafe lws_hdr_copy(handle, &bytes, CInt(bytes.count), token) > 0 else { return nil }
            return String(terminated: bytes)
        }
        var request = PageRequest(path: "")
        if let path = header(WSI_TOKEN_GET_URI) {
            request.path = path
        } else if let path = header(WSI_TOKEN_HEAD_URI) {
            (request.path, request.method) = (path, .head)
        } else {
            request.method = .other
        }
        request.host = header(WSI_TOKEN_HOST)
        request.origin = header(WSI_TOKEN_ORIGIN)
        request.authorization = header(WSI_TOKEN_HTTP_AUTHORIZATION)
        // The library hands over neither of both where there is none.
        let length = header(WSI_TOKEN_HTTP_CONTENT_LENGTH).map { Int($0) != 0 } ?? false
        request.hasBody = length || header(WSI_TOKEN_HTTP_TRANSFER_ENCODING) != nil
        request.isUpgrade = isUpgrade
        request.version = header(WSI_TOKEN_VERSION)
        var bytes = [CChar](repeating: 0, count: 1024)
        var index: CInt = 0
        // Each part between the ampersands by itself; it may be empty.
        while index < 16,
            unsafe lws_hdr_copy_fragment(handle, &bytes, CInt(bytes.count), WSI_TOKEN_HTTP_URI_ARGS, index) >= 0
        {
            let parts = String(terminated: bytes).split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            request.arguments.append((String(parts[0]), parts.count > 1 ? String(parts[1]) : ""))
            index += 1
        }
        return request
    }
}

/// What libwebsockets calls, on the thread that serves.
private func pageCallback(
    _ handle: OpaquePointer?, _ reason: lws_callback_reasons, _ user: UnsafeMutableRawPointer?,
    _ input: UnsafeMutableRawPointer?, _ length: Int
) -> CInt {
    guard let handle = unsafe handle, let context = unsafe lws_get_context(handle),
        let address = unsafe lws_context_user(context)
    else { return 0 }
    // SAFETY: the library owns it, and destroys the context before it goes. The service owns the library.
    let callee = unsafe Unmanaged<PageLibrary.Callee>.fromOpaque(address).takeUnretainedValue()
    callee.calls &+= 1
    guard let service = unsafe callee.service else { return 0 }
    let connection = unsafe WebConnection(handle)
    switch reason {
    case LWS_CALLBACK_RAW_RX_FILE: service.accept()
    case LWS_CALLBACK_EVENT_WAIT_CANCELLED: service.distribute()
    case LWS_CALLBACK_HTTP: return unsafe service.answer(connection, PageLibrary.request(handle, isUpgrade: false))
    case LWS_CALLBACK_RAW_RX: return service.refuse(connection)
    case LWS_CALLBACK_HTTP_CONFIRM_UPGRADE:
        // Any other word than these two the library has answered before it asks, and the headers may be freed by then.
        guard unsafe lws_hdr_total_length(handle, WSI_TOKEN_UPGRADE) > 0,
            let word = unsafe input?.assumingMemoryBound(to: CChar.self)
        else { return -1 }
        // SAFETY: a word that ends with a zero, among the headers, which the connection still has.
        guard unsafe strcasecmp(word, "websocket") == 0 else {
            guard unsafe strcasecmp(word, "h2c") == 0 else { return -1 }
            // An offer of HTTP/2 may be ignored (RFC 9110, 7.8): without its name the request is an ordinary one.
            unsafe word.pointee = 0
            return 0
        }
        return unsafe service.upgrade(connection, PageLibrary.request(handle, isUpgrade: true))
    case LWS_CALLBACK_ESTABLISHED: service.opened(connection)
    // The library would send it behind the Close frame (RFC 6455, 5.5.1), for as long as the client does not answer that.
    case LWS_CALLBACK_SERVER_WRITEABLE where connection.isClosing: service.ended(connection)
    case LWS_CALLBACK_SERVER_WRITEABLE, LWS_CALLBACK_HTTP_WRITEABLE: return service.send(connection) ? 0 : -1
    case LWS_CALLBACK_RECEIVE:
        let refusal = unsafe service.receive(
            connection, handedBytes(input, length), isEnd: connection.isMessageComplete, isText: !connection.isBinary)
        guard let (status, sentence) = refusal else { break }
        var words = Array(sentence.utf8)
        unsafe lws_close_reason(handle, lws_close_status(rawValue: UInt32(status)), &words, words.count)
        return -1
    case LWS_CALLBACK_CLOSED, LWS_CALLBACK_CLOSED_HTTP, LWS_CALLBACK_WSI_DESTROY: service.closed(connection)
    default: break
    }
    return 0
}

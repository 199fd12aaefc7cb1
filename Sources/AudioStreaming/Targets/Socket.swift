import Glibc
import Threads

/// A connected socket, which is closed with the object. Nothing that is done with it waits without end.
///
/// Thread: one at a time.
final class Socket {
    let descriptor: CInt

    /// - Parameter descriptor: does not wait, and is closed with this object.
    init(takingOver descriptor: CInt) { self.descriptor = descriptor }

    deinit { close(descriptor) }

    private static let connectSeconds = 5.0

    /// Connects to each address of a host in turn until one answers.
    ///
    /// - Parameter waits: asked ten times a second whether to go on waiting.
    /// - Throws: `unresolved`, `network`, `resources`.
    static func connect(
        _ kind: HostLookup.Kind, host: String, port: Int, operation: String, waits: () -> Bool
    ) throws(StreamError) -> Socket {
        var reason = ""
        for address in try HostLookup(kind, host: host, port: port).addresses(operation: operation, waits: waits) {
            switch attempt(kind, address, waits: waits) {
            case .success(let socket): return socket
            case .failure(let failure): reason = failure.words
            }
        }
        throw StreamError(.network, operation, reason)
    }

    /// The addresses of a host, as numbers, in the order in which they are to be tried.
    ///
    /// - Parameter waits: asked ten times a second whether to go on waiting.
    /// - Throws: `unresolved`, `resources`.
    static func addresses(
        of host: String, operation: String, waits: () -> Bool
    ) throws(StreamError) -> [String] {
        var found: [String] = []
        for address in try HostLookup(.tcp, host: host, port: 0).addresses(operation: operation, waits: waits) {
            if let text = address.numeric, !found.contains(text) { found.append(text) }
        }
        return found
    }

    /// An address as a number; `nil` where it has none.
    @unsafe static func numeric(_ address: UnsafePointer<sockaddr>?, _ length: socklen_t) -> String? {
        var name = [CChar](repeating: 0, count: Int(NI_MAXHOST))
        // SAFETY: the name has the room that is said.
        let code = unsafe getnameinfo(address, length, &name, socklen_t(name.count), nil, 0, NI_NUMERICHOST)
        return code == 0 ? String(terminated: name) : nil
    }

    /// Why a connection is not made, or over.
    struct Refusal: Error { var words: String }

    private static func attempt(
        _ kind: HostLookup.Kind, _ address: SocketAddress, waits: () -> Bool
    ) -> Result<Socket, Refusal> {
        let descriptor = address.makeSocket(kind)
        guard descriptor >= 0 else { return .failure(Refusal(words: networkError(errno))) }
        let socket = Socket(takingOver: descriptor)
        // The kernel heeds the network that stands behind an address of IPv6 for some groups alone.
        if address.isGroup, let network = address.ofIPv6?.sin6_scope_id, network != 0 {
            set(CInt(IPPROTO_IPV6), IPV6_MULTICAST_IF, CInt(bitPattern: network), of: descriptor)
        }
        // Else a packet may wait 40 ms for the other end's word on the one before.
        if kind == .tcp { set(CInt(IPPROTO_TCP), TCP_NODELAY, 1, of: descriptor) }
        if address.connect(descriptor) { return .success(socket) }
        guard errno == EINPROGRESS else { return .failure(Refusal(words: networkError(errno))) }
        var left = Int(connectSeconds * 10)
        while !socket.isWritable(milliseconds: 100) {
            left -= 1
            guard waits(), left > 0 else { return .failure(Refusal(words: networkError(ETIMEDOUT))) }
        }
        let code = socket.takeError()
        return code == 0 ? .success(socket) : .failure(Refusal(words: networkError(code)))
    }

    /// Gives the connection up when the other end has taken nothing for so long, as one whose machine is gone without a word;
    /// the kernel itself would try for a quarter of an hour.
    func limitSilence(seconds: Double) {
        Self.set(CInt(IPPROTO_TCP), TCP_USER_TIMEOUT, CInt(seconds * 1000), of: descriptor)
    }

    /// Finds out where the other end's machine is gone without a word, though nothing is sent: by default after some 20 s.
    static func noticeLoss(of descriptor: CInt, afterSeconds quiet: CInt = 5, askingEverySeconds pause: CInt = 5) {
        set(SOL_SOCKET, SO_KEEPALIVE, 1, of: descriptor)
        set(CInt(IPPROTO_TCP), TCP_KEEPIDLE, quiet, of: descriptor)
        set(CInt(IPPROTO_TCP), TCP_KEEPINTVL, pause, of: descriptor)
        set(CInt(IPPROTO_TCP), TCP_KEEPCNT, 3, of: descriptor)
    }

    /// Sets an option of any socket.
    static func set(_ level: CInt, _ name: CInt, _ value: CInt, of descriptor: CInt) {
        var value = value
        _ = unsafe setsockopt(descriptor, level, name, &value, socklen_t(MemoryLayout<CInt>.size))
    }

    /// What has come of a stream, without waiting: empty where nothing has, `nil` where the other end has ended it.
    func read(atMost room: Int) -> Result<[UInt8]?, Refusal> {
        var bytes = [UInt8](repeating: 0, count: room)
        // SAFETY: the buffer has the size that is passed.
        let count = unsafe bytes.withUnsafeMutableBytes { unsafe recv(descriptor, $0.baseAddress, $0.count, 0) }
        guard count >= 0 else {
            let code = errno
            if [EAGAIN, EINTR].contains(code) { return .success([]) }
            return .failure(
                Refusal(words: code == ECONNRESET ? "the sender closed the connection" : networkError(code)))
        }
        return .success(count == 0 ? nil : Array(bytes.prefix(count)))
    }

    func isWritable(milliseconds: CInt) -> Bool {
        var wait = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        return unsafe poll(&wait, 1, milliseconds) > 0
    }

    /// Sends a question, and returns what comes in so long a time, or until the other side closes.
    func answer(to question: [UInt8], withinMilliseconds milliseconds: Int) -> [UInt8] {
        var answer: [UInt8] = []
        let deadline = MonotonicClock.nanoseconds() + UInt64(milliseconds) * 1_000_000
        send(question, untilNanoseconds: deadline)
        while answer.count < 1 << 16, InputWait.wait(for: [descriptor], untilNanoseconds: deadline) {
            guard case .success(let bytes?) = read(atMost: 4096), !bytes.isEmpty else { break }
            answer += bytes
            if answer.starts(with: Array("HTTP/1.0 200".utf8)) { break }
        }
        return answer
    }

    /// Sends bytes of a stream, as many as the other side takes in time.
    private func send(_ bytes: [UInt8], untilNanoseconds deadline: UInt64) {
        var sent = 0
        while sent < bytes.count, MonotonicClock.nanoseconds() < deadline {
            // SAFETY: from what is sent to the end of the array.
            let count = unsafe bytes.withUnsafeBytes { bytes in
                let rest = unsafe UnsafeRawBufferPointer(rebasing: bytes[sent...])
                return unsafe Glibc.send(descriptor, rest.baseAddress, rest.count, CInt(MSG_NOSIGNAL))
            }
            guard count >= 0 || [EAGAIN, EINTR].contains(errno) else { return }
            sent += max(0, count)
            if count < 0 { _ = isWritable(milliseconds: 100) }
        }
    }

    /// Sends one datagram, or leaves it out where the kernel has no room.
    ///
    /// - Returns: 0, or the error's number.
    func sendDatagram(_ bytes: [UInt8]) -> CInt {
        // SAFETY: as many bytes as there are.
        let count = unsafe bytes.withUnsafeBytes { bytes in
            unsafe Glibc.send(descriptor, bytes.baseAddress, bytes.count, CInt(MSG_NOSIGNAL))
        }
        return count < 0 ? errno : 0
    }

    /// What went wrong with a datagram since it was asked last: an error's number, or 0.
    func takeError() -> CInt {
        var code: CInt = 0
        var size = socklen_t(MemoryLayout<CInt>.size)
        unsafe getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &code, &size)
        return code
    }
}

/// A network's error, and what to do about it.
func networkError(_ code: CInt) -> String {
    switch code {
    case ECONNREFUSED: "nobody listens there; start the other end first"
    case ETIMEDOUT: "it does not answer; is the machine on, and does a firewall keep it away?"
    case ENETUNREACH, EHOSTUNREACH: "the network does not lead there; is it up?"
    case ECONNRESET, EPIPE: "the other end closed the connection"
    // SAFETY: the C library's messages are constants, or the thread's own.
    default: unsafe String(cString: strerror(code))
    }
}

extension String {
    /// What a function of C wrote into a buffer, up to its zero.
    init(terminated bytes: [CChar]) {
        self.init(decoding: bytes.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}

/// Nobody received the datagram before.
let refusedDatagram = ECONNREFUSED
/// The kernel has no room for one more at present.
let fullDatagrams: Set<CInt> = [EAGAIN, ENOBUFS]

/// This machine has no such address, or not that version of IP: another address of the host may do.
let absentAddress: Set<CInt> = [EADDRNOTAVAIL, EAFNOSUPPORT]

/// The port of this machine that a socket has; `nil` where it has none.
package func boundPort(of descriptor: CInt) -> Int? {
    unsafe SocketAddress(of: descriptor, getsockname).map { Int($0.port) }
}

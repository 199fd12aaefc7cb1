import AudioFiles
import Glibc
import Synchronization
import Threads

/// Finds the addresses of a host, and waits for a name server no longer than is wanted.
///
/// The C library may wait for half a minute where no name server answers, and cannot be stopped: a thread of its own asks, which is left
/// to itself where that lasts too long.
///
/// Thread: any that may block.
package struct HostLookup: Sendable {
    /// What is carried.
    package enum Kind: Sendable {
        /// A stream of bytes.
        case tcp
        /// Single datagrams.
        case udp

        fileprivate var socketType: CInt { CInt((self == .tcp ? SOCK_STREAM : SOCK_DGRAM).rawValue) }
    }

    private let kind: Kind
    private let host: String?
    private let port: Int
    private let isOwn: Bool

    /// The addresses, or why there are none.
    typealias Answer = Result<[SocketAddress], Socket.Refusal>

    static let patienceSeconds = 10.0
    private static let lookNanoseconds: UInt64 = 100_000_000

    /// - Parameters:
    ///   - host: a name or an address; `nil` for all addresses of this machine.
    ///   - isOwn: whether it is to be an address of this machine, at which something is waited for.
    package init(_ kind: Kind, host: String?, port: Int, isOwn: Bool = false) {
        self.kind = kind
        self.host = host
        self.port = port
        self.isOwn = isOwn
    }

    /// - Parameters:
    ///   - operation: what errors say was being done.
    ///   - advice: what to do about a name that stands for no address.
    ///   - waits: asked ten times a second whether to go on waiting.
    /// - Returns: at least one, in the order in which they are to be tried.
    /// - Throws: `unresolved`; `network` where it was not waited for any longer; `resources` where there is no thread.
    package func addresses(
        operation: String, advice: String = "check it, or write the address", waits: () -> Bool = { true }
    ) throws(StreamError) -> [SocketAddress] {
        // What is a number already needs no name server, and no thread.
        if case .success(let numbers) = ask(AI_NUMERICHOST) { return numbers }
        return try addresses(
            operation: operation, advice: advice, withinSeconds: Self.patienceSeconds, waits: waits
        ) { ask() }
    }

    /// - Parameter ask: may take any time, and may go on behind the end of the call.
    func addresses(
        operation: String, advice: String, withinSeconds seconds: Double, waits: () -> Bool,
        _ ask: @escaping @Sendable () -> Answer
    ) throws(StreamError) -> [SocketAddress] {
        let pending = Pending()
        do throws(ResourceError) {
            _ = try Worker("iounit-resolve") { pending.give(ask()) }
        } catch {
            throw StreamError(.resources, error.operation, error.reason)
        }
        let deadline = MonotonicClock.nanoseconds() + UInt64(seconds * 1e9)
        var answer: Answer?
        repeat {
            guard waits() else {
                throw StreamError(.network, operation, "no name server has answered yet for \(host ?? "")")
            }
            answer = pending.take(untilNanoseconds: min(deadline, MonotonicClock.nanoseconds() + Self.lookNanoseconds))
        } while answer == nil && MonotonicClock.nanoseconds() < deadline
        switch answer ?? .failure(Socket.Refusal(words: "no name server answers")) {
        case .success(let addresses): return addresses
        case .failure(let refusal):
            throw StreamError(
                .unresolved, operation, "the name \(host ?? "") cannot be resolved (\(refusal.words)); \(advice)")
        }
    }

    /// What the thread that asks leaves for the one that waits.
    private final class Pending: Sendable {
        private let answer = Mutex<Answer?>(nil)
        private let isThere = Semaphore()

        func give(_ answer: Answer) {
            self.answer.withLock { $0 = answer }
            isThere.handle.post()
        }

        func take(untilNanoseconds time: UInt64) -> Answer? {
            isThere.wait(untilNanoseconds: time)
            return answer.withLock { $0 }
        }
    }

    /// An address of IPv6 with the number of the network behind its percent sign: the C library knows the names for some addresses
    /// alone.
    private static func numbered(_ host: String) -> String {
        guard let sign = host.lastIndex(of: "%") else { return host }
        let index = unsafe if_nametoindex(String(host[sign...].dropFirst()))
        return index == 0 ? host : "\(host[...sign])\(index)"
    }

    /// Asks the C library, which may take its time where the flags permit names.
    private func ask(_ flags: CInt = 0) -> Answer {
        var hints = unsafe addrinfo()
        unsafe hints.ai_socktype = kind.socketType
        unsafe hints.ai_flags = flags | (isOwn ? AI_PASSIVE : 0)
        var first: UnsafeMutablePointer<addrinfo>?
        let code = unsafe getaddrinfo(host.map(Self.numbered), "\(port)", &hints, &first)
        guard code == 0 else {
            // SAFETY: the C library's messages are constants.
            return .failure(Socket.Refusal(words: unsafe String(cString: gai_strerror(code))))
        }
        // SAFETY: the list is ours until here, and all that is read from it is copied before.
        defer { unsafe freeaddrinfo(first) }
        var found: [SocketAddress] = []
        var next = unsafe first
        while let entry = unsafe next {
            let (address, count) = unsafe (entry.pointee.ai_addr, Int(entry.pointee.ai_addrlen))
            unsafe found.append(SocketAddress(Array(UnsafeRawBufferPointer(start: address, count: count))))
            unsafe next = entry.pointee.ai_next
        }
        return found.isEmpty ? .failure(Socket.Refusal(words: "it has no address")) : .success(found)
    }
}

/// An address with a port, as the kernel has it.
package struct SocketAddress: Sendable, Hashable {
    /// With the family and the port.
    package let bytes: [UInt8]

    package init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// Of a socket; `nil` where it has none.
    ///
    /// - Parameter ask: `getsockname` for its own, `getpeername` for that of its other end.
    init?(
        of descriptor: CInt, _ ask: (CInt, UnsafeMutablePointer<sockaddr>?, UnsafeMutablePointer<socklen_t>?) -> CInt
    ) {
        var storage = [UInt8](repeating: 0, count: MemoryLayout<sockaddr_storage>.size)
        var size = socklen_t(storage.count)
        let result = unsafe storage.withUnsafeMutableBytes { storage in
            // SAFETY: no more bytes than there is room for.
            unsafe ask(descriptor, storage.baseAddress?.assumingMemoryBound(to: sockaddr.self), &size)
        }
        guard result == 0 else { return nil }
        bytes = Array(storage.prefix(Int(size)))
    }

    /// The port, which stands at the same place in addresses of IPv4 and IPv6.
    package var port: UInt16 { bytes.count >= 4 ? UInt16(bytes.bigEndian(2, 2)) : 0 }

    private var family: CInt {
        bytes.count >= 2
            ? CInt(unsafe bytes.withUnsafeBytes { unsafe $0.loadUnaligned(as: sa_family_t.self) }) : AF_UNSPEC
    }

    /// As the kernel has one of IPv4; `nil` for another.
    package var isIPv4: Bool { ofIPv4 != nil }

    var ofIPv4: sockaddr_in? {
        guard family == AF_INET, bytes.count >= MemoryLayout<sockaddr_in>.size else { return nil }
        // SAFETY: it has as many bytes.
        return unsafe bytes.withUnsafeBytes { unsafe $0.loadUnaligned(as: sockaddr_in.self) }
    }

    /// As the kernel has one of IPv6; `nil` for another.
    var ofIPv6: sockaddr_in6? {
        guard family == AF_INET6, bytes.count >= MemoryLayout<sockaddr_in6>.size else { return nil }
        // SAFETY: it has as many bytes.
        return unsafe bytes.withUnsafeBytes { unsafe $0.loadUnaligned(as: sockaddr_in6.self) }
    }

    /// Whether it is one that many may listen at.
    var isGroup: Bool {
        // Of IPv6 its address is behind the family, the port and the flow.
        ofIPv4.map { UInt32(bigEndian: $0.sin_addr.s_addr) >> 28 == 0xe } ?? (ofIPv6 != nil && bytes[8] == 0xff)
    }

    /// A socket for it that does not wait; negative where the kernel gives none.
    package func makeSocket(_ kind: HostLookup.Kind) -> CInt {
        Glibc.socket(family, kind.socketType | CInt(SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue), 0)
    }

    package func bind(_ descriptor: CInt) -> Bool { unsafe withPointer { unsafe Glibc.bind(descriptor, $0, $1) } == 0 }

    func connect(_ descriptor: CInt) -> Bool { unsafe withPointer { unsafe Glibc.connect(descriptor, $0, $1) } == 0 }

    /// As a number; `nil` where it has none.
    var numeric: String? { unsafe withPointer { unsafe Socket.numeric($0, $1) } }

    /// - Parameter body: may not keep the pointer.
    @unsafe package func withPointer<Value>(_ body: (UnsafePointer<sockaddr>?, socklen_t) -> Value) -> Value {
        unsafe bytes.withUnsafeBytes { bytes in
            unsafe body(bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self), socklen_t(bytes.count))
        }
    }
}

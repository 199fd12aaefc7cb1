import Glibc
import Threads

/// A connection of TCP that is only read from.
final class TCPSource: ByteSource {
    private let socket: Socket
    private let operation: String

    let isFinite = false
    private static let pieceBytes = 64 << 10

    init(_ socket: Socket, operation: String) {
        self.socket = socket
        self.operation = operation
        Socket.noticeLoss(of: socket.descriptor)
    }

    func read(untilNanoseconds deadline: UInt64) throws(StreamError) -> [UInt8]? {
        guard InputWait.wait(for: [socket.descriptor], untilNanoseconds: deadline) else { return [] }
        switch socket.read(atMost: Self.pieceBytes) {
        case .success(let bytes): return bytes
        case .failure(let refusal): throw StreamError(.network, operation, refusal.words)
        }
    }

    func rest(untilNanoseconds deadline: UInt64) { MonotonicClock.sleep(until: deadline) }
}

/// Connects to a program that sends a stream to each client that connects, as `nc -l` does.
struct TCPConnector: ByteSourceMaker {
    let host: String
    let port: Int
    let operation: String
    /// Asked ten times a second whether to go on waiting.
    let waits: () -> Bool

    var servesAnybody: Bool { false }

    func connect(untilNanoseconds deadline: UInt64) throws(StreamError) -> (any ByteSource)? {
        do throws(StreamError) {
            let socket = try Socket.connect(.tcp, host: host, port: port, operation: operation, waits: waits)
            return TCPSource(socket, operation: operation)
        } catch {
            guard error.reason == networkError(ECONNREFUSED) else { throw error }
            throw StreamError(
                .network, operation,
                "nobody listens there; start the sender first, or use tcp-listen:// for one that connects to this machine"
            )
        }
    }
}

/// Waits for a program that connects, as `iounit send tcp://` does: one at a time, the next one when that has left.
final class TCPListener: ByteSourceMaker {
    private let socket: ListeningSocket
    private let operation: String

    let servesAnybody = true

    /// - Parameters:
    ///   - host: an address of this machine.
    ///   - waits: asked ten times a second whether to go on waiting for the host's address.
    init(host: String, port: Int, operation: String, waits: () -> Bool) throws(StreamError) {
        socket = try ListeningSocket.open(
            PageAddress(host: host, port: port), operation: operation, choice: "choose another", waits: waits)
        self.operation = operation
    }

    func connect(untilNanoseconds deadline: UInt64) throws(StreamError) -> (any ByteSource)? {
        guard InputWait.wait(for: [socket.descriptor], untilNanoseconds: deadline), let descriptor = socket.accept()
        else { return nil }
        return TCPSource(Socket(takingOver: descriptor), operation: operation)
    }
}

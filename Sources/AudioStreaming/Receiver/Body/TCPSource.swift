import Glibc
import Threads

/// A connection of TCP that is only read from.
final class TCPSource: ByteSource {
    private let socket: Socket
    private let operation: String
    private let patienceNanoseconds: UInt64
    /// At which others may wait for its place.
    private let listener: ListeningSocket?
    /// When something came last, or was not wanted.
    private var heardNanoseconds = MonotonicClock.nanoseconds()

    let isFinite = false
    private static let pieceBytes = 64 << 10

    /// - Parameters:
    ///   - patienceSeconds: one that sends nothing for so long gives way to another.
    ///   - listener: at which another sender may wait for its place.
    private init(
        _ socket: Socket, operation: String, patienceSeconds: Double = 30, of listener: ListeningSocket? = nil
    ) {
        self.socket = socket
        self.operation = operation
        patienceNanoseconds = UInt64(patienceSeconds * 1e9)
        self.listener = listener
        Socket.noticeLoss(of: socket.descriptor)
    }

    /// Connects to a program that sends a stream to each client that connects, as `nc -l` does.
    ///
    /// - Parameter waits: asked ten times a second whether to go on waiting.
    static func connect(
        host: String, port: Int, operation: String, waits: () -> Bool
    ) throws(StreamError) -> TCPSource {
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

    /// Waits for a program that connects, as `iounit send tcp://` does: one at a time, the next one when that has left, or has been
    /// silent for long.
    ///
    /// - Returns: `nil` where none has come by a time of the monotonic clock.
    static func accept(
        at listener: ListeningSocket, operation: String, patienceSeconds: Double = 30, untilNanoseconds deadline: UInt64
    ) -> TCPSource? {
        guard InputWait.wait(for: [listener.descriptor], untilNanoseconds: deadline),
            let descriptor = listener.accept()
        else { return nil }
        let socket = Socket(takingOver: descriptor)
        return TCPSource(socket, operation: operation, patienceSeconds: patienceSeconds, of: listener)
    }

    func read(untilNanoseconds deadline: UInt64) throws(StreamError) -> [UInt8]? {
        guard InputWait.wait(for: [socket.descriptor], untilNanoseconds: deadline) else {
            guard MonotonicClock.nanoseconds() > heardNanoseconds + patienceNanoseconds, listener?.isAwaited == true
            else { return [] }
            throw StreamError(
                .network, operation, "the sender sends nothing, and another one that waited has its place")
        }
        heardNanoseconds = MonotonicClock.nanoseconds()
        switch socket.read(atMost: Self.pieceBytes) {
        case .success(let bytes): return bytes
        case .failure(let refusal): throw StreamError(.network, operation, refusal.words)
        }
    }

    func rest(untilNanoseconds deadline: UInt64) {
        MonotonicClock.sleep(until: deadline)
        heardNanoseconds = MonotonicClock.nanoseconds()
    }
}

import AudioFiles
import CWebSockets
import Glibc
import Threads

/// A message of a WebSocket.
enum WebMessage: Sendable, Equatable {
    case text(String)
    case binary([UInt8])
}

/// A WebSocket to a server, in both directions.
///
/// It works only within its calls. What comes waits in a bounded queue, beyond which the server is let wait; of what is sent,
/// one message is on its way at a time. Call `serve` where nothing is sent or awaited: it answers the server's pings, and
/// asks itself whether the server is still there: a second after something was sent, and five after it last heard of it.
/// The answer says too which messages the server has. Where none comes for fifteen seconds, the connection is over: so a
/// cable that was pulled out is found out.
///
/// Thread: one at a time, any that may block.
final class WebSocketClient {
    private let client: WebClient
    private let handler: Handler
    private let waits: () -> Bool

    private static let lookNanoseconds: UInt64 = 100_000_000
    private static let closeNanoseconds: UInt64 = 2_000_000_000

    /// - Parameters:
    ///   - protocolName: what both ends speak; a server that names none may speak it all the same.
    ///   - operation: what errors say was being done.
    ///   - token: sent in a header, and to that server alone.
    ///   - trust: of an encrypted connection.
    ///   - receives: whether messages that come are kept; else they are dropped.
    ///   - answerSeconds: how long the server may give no answer.
    ///   - waits: asked ten times a second whether to go on waiting.
    /// - Throws: see `WebClient.open`.
    init(
        _ address: WebAddress, protocolName: String, operation: String, token: Secret? = nil, trust: WebTrust? = nil,
        receives: Bool, answerSeconds: Double = 15, waits: @escaping () -> Bool
    ) throws(StreamError) {
        client = try WebClient(address, operation: operation, token: token, trust: trust, waits: waits)
        handler = Handler(protocolName, receives: receives, answerSeconds: answerSeconds)
        self.waits = waits
        try client.open(handler)
    }

    /// Messages that were handed to the network, and their bytes.
    var sentBytes: UInt64 { handler.sentBytes }
    var sentMessages: UInt64 { handler.sentMessages }

    /// How many of them the server has not said to have.
    var unconfirmedMessages: UInt64 { handler.sentMessages - handler.confirmedMessages }

    /// Sends a message; waits while the server takes nothing and `waits` permits.
    ///
    /// - Throws: `network`: the connection is over, or the server took nothing in time. The message was not sent then.
    func send(_ message: WebMessage) throws(StreamError) {
        try serve()
        handler.outgoing = message
        while handler.outgoing != nil {
            guard waits() else {
                handler.outgoing = nil
                throw client.fail(.network, "it takes nothing; is the network too slow for the stream?")
            }
            client.askToWrite()
            do throws(StreamError) {
                try step(untilNanoseconds: MonotonicClock.nanoseconds() + Self.lookNanoseconds)
            } catch {
                // What left before the connection broke was sent: the next call throws.
                guard handler.outgoing == nil else { throw error }
            }
        }
    }

    /// The next message, or `nil` where none comes up to a time of the monotonic clock. Messages that came before the end
    /// of the connection are handed out first.
    ///
    /// - Throws: `network`: the connection is over; `badData` for a message that is too long or no text.
    func receive(untilNanoseconds time: UInt64) throws(StreamError) -> WebMessage? {
        while true {
            if let message = handler.take() {
                if !handler.isFull { client.setReceiving(true) }
                return message
            }
            let now = MonotonicClock.nanoseconds()
            do throws(StreamError) {
                try step(untilNanoseconds: min(time, now + Self.lookNanoseconds))
            } catch {
                guard !handler.isEmpty else { throw error }
            }
            if handler.isEmpty, MonotonicClock.nanoseconds() >= time || !waits() { return nil }
        }
    }

    /// Does what is to be done, and waits for nothing.
    ///
    /// - Throws: `network`: the connection is over.
    func serve() throws(StreamError) { try step(untilNanoseconds: 0) }

    /// Says that nothing more comes, and waits for the server to have read it all, while `waits` permits; two seconds at
    /// most.
    func close() throws(StreamError) {
        try check()
        let deadline = MonotonicClock.nanoseconds() + Self.closeNanoseconds
        // The answer to a ping says that all before it was read, as that to the end does not.
        handler.askForAll()
        serve(whileIn: deadline) { unconfirmedMessages > 0 }
        handler.isClosing = true
        serve(whileIn: deadline) { true }
    }

    private func serve(whileIn deadline: UInt64, _ isWanted: () -> Bool) {
        client.askToWrite()
        repeat {
            client.serve(untilNanoseconds: min(deadline, MonotonicClock.nanoseconds() + Self.lookNanoseconds))
        } while client.isOpen && isWanted() && waits() && MonotonicClock.nanoseconds() < deadline
    }

    private func step(untilNanoseconds time: UInt64) throws(StreamError) {
        if handler.wantsPing(atNanoseconds: MonotonicClock.nanoseconds()) { client.askToWrite() }
        client.serve(untilNanoseconds: time)
        try check()
        // Asked behind the call, in which an answer that came long ago is read.
        guard !handler.isSilent(atNanoseconds: MonotonicClock.nanoseconds()) else {
            throw client.fail(.network, "it does not answer any more; is its machine still on the network?")
        }
    }

    private func check() throws(StreamError) {
        if let (kind, reason) = handler.failure { throw client.fail(kind, reason) }
        guard client.isOpen else { throw client.fail(.network, "the connection broke") }
    }

    /// What libwebsockets reports of the connection.
    private final class Handler: WebHandler {
        let protocolName: String?
        private let receives: Bool
        private let patienceNanoseconds: UInt64
        var outgoing: WebMessage?
        var isClosing = false
        private(set) var failure: (StreamError.Kind, String)?
        private(set) var sentBytes: UInt64 = 0
        private(set) var sentMessages: UInt64 = 0
        private(set) var confirmedMessages: UInt64 = 0

        private var incoming: [WebMessage] = []
        /// What came before those, the oldest at the end: of many that wait, each is taken at the same cost.
        private var oldest: [WebMessage] = []
        private var incomingBytes = 0
        private var part: [UInt8] = []
        private var heardNanoseconds = MonotonicClock.nanoseconds()
        private var pingedNanoseconds = MonotonicClock.nanoseconds()
        /// Whether the next thing to be written is a ping.
        private var isPingDue = false
        /// When the first ping became due since something was heard; `nil` while there is none.
        private var askedNanoseconds: UInt64?

        /// So long a message may be unconfirmed before it is asked for.
        private static let paceNanoseconds: UInt64 = 1_000_000_000
        private static let quietNanoseconds: UInt64 = 5_000_000_000
        /// Of a message: more than any of the form `iounit.stream/1` has.
        private static let messageLimit = StreamPacket.payloadLimit + (1 << 16)
        private static let queueLimit = 4 << 20
        /// What one takes of the memory beside its bytes, about.
        private static let messageBytes = 64

        init(_ protocolName: String, receives: Bool, answerSeconds: Double) {
            self.protocolName = protocolName
            patienceNanoseconds = UInt64(answerSeconds * 1e9)
            self.receives = receives
        }

        var isEmpty: Bool { oldest.isEmpty && incoming.isEmpty }
        var isFull: Bool { incomingBytes >= Self.queueLimit }

        func take() -> WebMessage? {
            if oldest.isEmpty { (oldest, incoming) = (incoming.reversed(), []) }
            guard let message = oldest.popLast() else { return nil }
            incomingBytes -= message.count + Self.messageBytes
            return message
        }

        /// Whether a ping is to be sent.
        func wantsPing(atNanoseconds now: UInt64) -> Bool {
            let isSlow = confirmedMessages < sentMessages && now > pingedNanoseconds + Self.paceNanoseconds
            if isSlow || now > max(heardNanoseconds, pingedNanoseconds) + Self.quietNanoseconds {
                isPingDue = true
                askedNanoseconds = askedNanoseconds ?? now
            }
            return isPingDue
        }

        /// Lets the next thing that is written be a ping.
        func askForAll() { isPingDue = true }

        func isSilent(atNanoseconds now: UInt64) -> Bool {
            askedNanoseconds.map { now > $0 + patienceNanoseconds } ?? false
        }

        /// A ping's bytes come back: how many messages were written before it.
        private func confirm(_ bytes: [UInt8]) {
            guard bytes.count == 8 else { return }
            let count = UInt64(bitPattern: Int64(bytes.bigEndian(0, 8)))
            if count <= sentMessages { confirmedMessages = max(confirmedMessages, count) }
        }

        private func hear() {
            heardNanoseconds = MonotonicClock.nanoseconds()
            askedNanoseconds = nil
        }

        func handle(_ event: WebEvent, on connection: WebConnection) -> Bool {
            switch event {
            case .opened: hear()
            case .pong(let bytes):
                hear()
                confirm(bytes)
            case .writable: return write(connection)
            case .message(let bytes):
                hear()
                return receive(bytes, connection)
            case .ending(let bytes): noteEnd(bytes)
            case .closed: failure = failure ?? (.network, networkError(ECONNRESET))
            case .body, .bodyEnded, .bodyRead: break
            }
            return true
        }

        /// The code of the end, and words.
        private func noteEnd(_ bytes: [UInt8]) {
            guard bytes.count >= 2 else { return }
            let code = bytes.bigEndian(0, 2)
            let words = String(decoding: bytes.dropFirst(2), as: UTF8.self)
            guard code != 1000 && code != 1001 else { return }
            let reason = "the other end closed the connection with the code \(code)"
            failure = (.network, words.isEmpty ? reason : "\(reason) (\(words))")
        }

        /// Writes one thing, as the library wants it.
        private func write(_ connection: WebConnection) -> Bool {
            if isClosing, outgoing == nil {
                connection.noteGoodEnd()
                return false
            }
            if isPingDue {
                isPingDue = false
                pingedNanoseconds = MonotonicClock.nanoseconds()
                if outgoing != nil { connection.askToWrite() }
                var bytes: [UInt8] = []
                bytes.append(bigEndian: sentMessages)
                return connection.write(bytes, LWS_WRITE_PING)
            }
            guard let message = outgoing else { return true }
            let isWritten =
                switch message {
                case .text(let text): connection.write(Array(text.utf8), LWS_WRITE_TEXT)
                case .binary(let bytes): connection.write(bytes, LWS_WRITE_BINARY)
                }
            guard isWritten else { return false }
            outgoing = nil
            sentBytes += UInt64(message.count)
            sentMessages += 1
            return true
        }

        private func receive(_ bytes: [UInt8], _ connection: WebConnection) -> Bool {
            guard receives else { return true }
            guard part.count + bytes.count <= Self.messageLimit else {
                failure = (.badData, "it sends a message of more than \(Self.messageLimit) bytes")
                return false
            }
            part += bytes
            guard connection.isMessageComplete else { return true }
            let message = part
            part = []
            if connection.isBinary {
                incoming.append(.binary(message))
            } else if let text = String(validating: message, as: UTF8.self) {
                incoming.append(.text(text))
            } else {
                failure = (.badData, "it sends a text that is none")
                return false
            }
            incomingBytes += message.count + Self.messageBytes
            if isFull { connection.setReceiving(false) }
            return true
        }
    }
}

extension WebMessage {
    /// In bytes.
    fileprivate var count: Int {
        switch self {
        case .text(let text): text.utf8.count
        case .binary(let bytes): bytes.count
        }
    }
}

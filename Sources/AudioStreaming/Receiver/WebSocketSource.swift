import Threads

/// A stream of the form `iounit.stream/1` from a WebSocket: an opening as text, then packets.
///
/// The connection is made, and made again, on the receiver's worker, which has nothing else to do without one.
final class WebSocketSource: StreamSource {
    private let operation: String
    private let connect: () throws(StreamError) -> WebSocketClient
    private var client: WebSocketClient?
    private var reconnection = Reconnection()
    /// Whether the server was ever reached: then its name is right, and who does not know it now may do so later.
    private var wasReached = false
    private var hasOpening = false
    /// What has come of the present connection, so that one that breaks at once is not tried again at once.
    private var hasPackets = false

    private static let mostAtOnce = 256

    /// - Parameter connect: reaches the server.
    init(operation: String, connect: @escaping () throws(StreamError) -> WebSocketClient) {
        self.operation = operation
        self.connect = connect
    }

    func receive(untilNanoseconds deadline: UInt64) throws(StreamError) -> [SourceEvent] {
        guard let client else { return try reach(untilNanoseconds: deadline) }
        var events: [SourceEvent] = []
        do throws(StreamError) {
            var time = deadline
            while events.count < Self.mostAtOnce, let message = try client.receive(untilNanoseconds: time) {
                events.append(try event(message, at: MonotonicClock.nanoseconds()))
                // What else is there already.
                time = 0
            }
        } catch {
            // It would be the same the next time.
            if error.kind == .otherVersion { throw error }
            events += lose(error)
        }
        return events
    }

    private func event(_ message: WebMessage, at nanoseconds: UInt64) throws(StreamError) -> SourceEvent {
        switch message {
        case .text(let text):
            hasOpening = true
            return .opening(try StreamOpening(text: text))
        case .binary(let bytes):
            guard hasOpening else {
                throw StreamError(.badData, operation, "packets come before the opening; is it another program?")
            }
            if !hasPackets { reconnection.succeed() }
            hasPackets = true
            return .packet(try StreamPacket(bytes), nanoseconds: nanoseconds)
        }
    }

    private func reach(untilNanoseconds deadline: UInt64) throws(StreamError) -> [SourceEvent] {
        let attempt = reconnection.nextNanoseconds
        guard MonotonicClock.nanoseconds() >= attempt else {
            MonotonicClock.sleep(until: min(deadline, attempt))
            return []
        }
        do throws(StreamError) {
            client = try connect()
            wasReached = true
            (hasOpening, hasPackets) = (false, false)
            return [.reached]
        } catch {
            // Only a network gets better by itself.
            guard error.kind == .network || wasReached && error.kind == .unresolved else { throw error }
            return lose(error)
        }
    }

    private func lose(_ error: StreamError) -> [SourceEvent] {
        client = nil
        reconnection.putOff()
        return [.ended, .failed(error)]
    }
}

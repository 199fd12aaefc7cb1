import Threads

/// A stream of the form `iounit.stream/1` from a WebSocket: an opening as text, then packets.
final class WebSocketConnection: SourceConnection {
    private let client: WebSocketClient
    private let operation: String
    private var hasOpening = false
    private(set) var hasSound = false
    private(set) var isOver = false

    private static let mostAtOnce = 256

    init(_ client: WebSocketClient, operation: String) {
        self.client = client
        self.operation = operation
    }

    func receive(untilNanoseconds deadline: UInt64) throws(StreamError) -> [SourceEvent] {
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
            isOver = true
            events += [.ended, .failed(error)]
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
            hasSound = true
            return .packet(try StreamPacket(bytes), nanoseconds: nanoseconds)
        }
    }
}

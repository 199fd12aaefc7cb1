import Threads

/// Sound from a connection by which a stream in the form of a file comes: WAV, FLAC, Ogg or MP3.
///
/// The connection is made, and made again, on the receiver's worker. What had come is played to its end when the sender ends. A
/// file, which says how long it is, is over then; all else is waited for.
final class BodySource: StreamSource {
    private let maker: any ByteSourceMaker
    private let operation: String
    private var connection: (any ByteSource)?
    private var body: SoundBody
    private var pace = BodyPace()
    private var reconnection = Reconnection()
    /// Why nothing more comes, once all that came is handed on.
    private var ending: Ending?
    /// Whether the sender was ever reached: then its name is right, and who does not know it now may do so later.
    private var wasReached = false
    /// Whether the connection gave any sound.
    private var hasSound = false
    private var isOver = false

    private enum Ending {
        /// The sender has ended it.
        case end
        /// So much as it said that there is has come.
        case file
        case failure(StreamError)
    }

    private static let idleNanoseconds: UInt64 = 50_000_000
    /// In bytes.
    private static let mostAtOnce = 1 << 18

    init(_ maker: any ByteSourceMaker, operation: String) {
        self.maker = maker
        self.operation = operation
        body = SoundBody(operation: operation)
    }

    func receive(untilNanoseconds deadline: UInt64) throws(StreamError) -> [SourceEvent] {
        guard !isOver else {
            MonotonicClock.sleep(until: min(deadline, MonotonicClock.nanoseconds() + Self.idleNanoseconds))
            return []
        }
        guard connection != nil || ending != nil else { return try reach(untilNanoseconds: deadline) }
        var events = due()
        guard events.isEmpty else { return events }
        let time = min(deadline, pace.nextNanoseconds ?? deadline)
        guard let connection else {
            guard pace.isEmpty else {
                MonotonicClock.sleep(until: time)
                return due()
            }
            return end()
        }
        guard pace.wantsMore else {
            connection.rest(untilNanoseconds: time)
            return due()
        }
        do throws(StreamError) {
            try read(connection, untilNanoseconds: time)
        } catch {
            guard hasSound || error.kind == .network || maker.servesAnybody else { throw error }
            finish(error)
        }
        events = due()
        return events
    }

    /// Reads what is there, so that what came together is taken together.
    private func read(_ connection: any ByteSource, untilNanoseconds time: UInt64) throws(StreamError) {
        var (pieces, count, deadline): ([SoundPiece], Int, UInt64) = ([], 0, time)
        var isOver = false
        defer {
            add(pieces)
            if isOver { finish(nil) }
        }
        repeat {
            guard let bytes = try connection.read(untilNanoseconds: deadline) else {
                isOver = true
                pieces += try body.finish()
                return
            }
            guard !bytes.isEmpty else { return }
            pieces += try body.take(bytes)
            count += bytes.count
            deadline = 0
        } while count < Self.mostAtOnce
    }

    private func add(_ pieces: [SoundPiece]) {
        let now = MonotonicClock.nanoseconds()
        pace.add(pieces, at: now)
        if !pieces.isEmpty {
            if !hasSound { reconnection.succeed() }
            hasSound = true
        }
        if isFinite { pace.noteFile(at: now) }
    }

    /// Whether it is said how much comes: by the file or by who sends it.
    private var isFinite: Bool { body.isFinite || connection?.isFinite == true }

    private func due() -> [SourceEvent] {
        var events: [SourceEvent] = []
        for (piece, nanoseconds, isTimed) in pace.take(at: MonotonicClock.nanoseconds()) {
            switch piece {
            case .opening(let opening):
                if let container = body.container { events.append(.container(container)) }
                events.append(.opening(opening))
            case .packet(let packet): events.append(.packet(packet, nanoseconds: nanoseconds, isTimed: isTimed))
            }
        }
        return events
    }

    /// Nothing more comes.
    private func finish(_ error: StreamError?) {
        let ended = isFinite && hasSound && !maker.servesAnybody ? Ending.file : .end
        ending = error.map { .failure($0) } ?? ended
        // What came in so short a time that it is not clear yet what it is was a short file.
        if pace.mode == .unknown { pace.noteFile(at: MonotonicClock.nanoseconds()) }
        connection = nil
    }

    /// All was handed on.
    private func end() -> [SourceEvent] {
        defer { ending = nil }
        switch ending {
        case .file:
            isOver = true
            return [.finished]
        case .failure(let error): return lose(error)
        case .end, nil:
            guard !hasSound else { return lose(nil) }
            return lose(StreamError(.network, operation, "it ends the stream before it begins; does the sender run?"))
        }
    }

    private func reach(untilNanoseconds deadline: UInt64) throws(StreamError) -> [SourceEvent] {
        let attempt = reconnection.nextNanoseconds
        guard MonotonicClock.nanoseconds() >= attempt else {
            MonotonicClock.sleep(until: min(deadline, attempt))
            return []
        }
        do throws(StreamError) {
            guard let made = try maker.connect(untilNanoseconds: deadline) else { return [] }
            connection = made
            wasReached = true
            body = SoundBody(operation: operation)
            pace = BodyPace()
            hasSound = false
            return [.reached]
        } catch {
            // Only a network gets better by itself.
            guard error.kind == .network || wasReached && error.kind == .unresolved else { throw error }
            return lose(error)
        }
    }

    /// - Parameter error: `nil` where the sender has ended it as it should.
    private func lose(_ error: StreamError?) -> [SourceEvent] {
        connection = nil
        if !maker.servesAnybody { reconnection.putOff() }
        return [.ended] + (error.map { [.failed($0)] } ?? [])
    }
}

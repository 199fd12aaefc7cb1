import Threads

/// Sound from a connection by which a stream in the form of a file comes: WAV, FLAC, Ogg or MP3.
///
/// What had come is played to its end when the sender ends. A file, which says how long it is, is over then; all else is waited for.
final class BodyConnection: SourceConnection {
    private let operation: String
    private let servesAnybody: Bool
    /// `nil` once nothing more comes.
    private var source: (any ByteSource)?
    private let body: SoundBody
    private var pace = BodyPace()
    private(set) var hasSound = false
    /// Why nothing more comes.
    private var ending: [SourceEvent] = []
    private(set) var isOver = false

    /// In bytes.
    private static let mostAtOnce = 1 << 18
    /// What comes so soon behind other bytes came with them: a sender writes some packets one after the other.
    private static let togetherNanoseconds: UInt64 = 2_000_000

    /// - Parameter servesAnybody: as of a `ConnectedSource`.
    init(_ source: any ByteSource, operation: String, servesAnybody: Bool) {
        self.source = source
        self.operation = operation
        self.servesAnybody = servesAnybody
        body = SoundBody(operation: operation)
    }

    func receive(untilNanoseconds deadline: UInt64) throws(StreamError) -> [SourceEvent] {
        let events = due()
        guard events.isEmpty else { return events }
        let time = min(deadline, pace.nextNanoseconds ?? deadline)
        if let source, pace.wantsMore {
            do throws(StreamError) {
                try read(source, untilNanoseconds: time)
            } catch {
                guard hasSound || error.kind == .network || servesAnybody else { throw error }
                finish([.ended, .failed(error)])
            }
        } else if let source {
            source.rest(untilNanoseconds: time)
        } else {
            MonotonicClock.sleep(until: time)
        }
        return due()
    }

    /// Reads what is there, so that what came together is taken together.
    private func read(_ source: any ByteSource, untilNanoseconds time: UInt64) throws(StreamError) {
        var (pieces, count, deadline): ([SoundPiece], Int, UInt64) = ([], 0, time)
        var hasEnded = false
        defer {
            add(pieces)
            if hasEnded { finish(sendersEnd) }
        }
        repeat {
            guard let bytes = try source.read(untilNanoseconds: deadline) else {
                hasEnded = true
                pieces += try body.finish()
                return
            }
            guard !bytes.isEmpty else { return }
            pieces += try body.take(bytes)
            if count == 0 { deadline = min(time, MonotonicClock.nanoseconds() + Self.togetherNanoseconds) }
            count += bytes.count
        } while count < Self.mostAtOnce
    }

    private func add(_ pieces: [SoundPiece]) {
        let now = MonotonicClock.nanoseconds()
        pace.add(pieces, at: now)
        if !pieces.isEmpty { hasSound = true }
        if isFinite { pace.noteFile(at: now) }
    }

    /// Whether it is said how much comes: by the file or by who sends it.
    private var isFinite: Bool { body.isFinite || source?.isFinite == true }

    /// What is due, and behind all of it why nothing more comes.
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
        if case let packets = pace.takeLeftOutPackets(), packets > 0 { events.append(.leftOut(packets: packets)) }
        isOver = source == nil && pace.isEmpty
        return isOver ? events + ending : events
    }

    /// What it means that the sender has ended it.
    private var sendersEnd: [SourceEvent] {
        if hasSound { return isFinite && !servesAnybody ? [.finished] : [.ended] }
        let reason = "it ends the stream before it begins; does the sender run?"
        return [.ended, .failed(StreamError(.network, operation, reason))]
    }

    /// Nothing more comes.
    private func finish(_ ending: [SourceEvent]) {
        self.ending = ending
        // What came in so short a time that it is not clear yet what it is was a short file.
        if pace.mode == .unknown { pace.noteFile(at: MonotonicClock.nanoseconds()) }
        source = nil
    }
}

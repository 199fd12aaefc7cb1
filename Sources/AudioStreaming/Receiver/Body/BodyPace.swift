/// Gives the packets of a stream that has the form of a file the times that they came at, or ought to have.
///
/// A station's packets come when they were made, behind a burst of what its server has kept: the burst is left out but for its
/// last second, so that the sound is as new as can be. A file's packets come as fast as the network takes them: they are
/// handed on one after the other as they last, none is left out, and the sender is let wait. Which one it is shows in the first
/// moments: a file goes on as fast as it began.
struct BodyPace: Sendable {
    /// Which of both it is.
    enum Mode: Sendable {
        case unknown
        case live
        case file
    }

    typealias DuePiece = (piece: SoundPiece, nanoseconds: UInt64, isTimed: Bool)

    private struct Held: Sendable {
        var piece: SoundPiece
        var seconds: Double
        var bytes: Int
        /// Of a station: when it came, and what came with it behind it lasts, in nanoseconds.
        var arrival: UInt64
        var rest: UInt64 = 0
    }

    private(set) var mode = Mode.unknown
    private var held: [Held] = []
    /// What waits.
    private(set) var heldSeconds = 0.0
    private(set) var heldBytes = 0
    private var rate = 48000
    /// Since the first sound, of a station since the last look at its surplus: when that was, and how much has come.
    private var start: UInt64?
    private var seconds = 0.0
    /// When it may be known what it is, without more having come.
    private var decisionTime: UInt64 = 0
    /// What came within the last moments.
    private var recent: [(time: UInt64, seconds: Double)] = []
    /// Of a station.
    private var spread = ChunkSpread()
    /// Behind the burst.
    private var (chunks, longestSpan) = (0, UInt64(0))
    /// By how much what came was ahead of its time at the most, in seconds.
    private var mostSurplus = 0.0
    /// Packets of a burst, since they were asked for last.
    private var leftOutPackets = 0
    /// When the next packet of a file is due.
    private var dueTime: UInt64 = 0

    private static let leastNanoseconds: UInt64 = 150_000_000
    /// So long, or until so many chunks have come, is looked how large they are.
    private static let mostNanoseconds: UInt64 = 2_500_000_000
    private static let enoughChunks = 6
    private static let surplusTolerance = 0.05
    private static let recentNanoseconds: UInt64 = 100_000_000
    /// Sound of a station that may come within that time.
    private static let recentSeconds = 0.35
    private static let fileSeconds = 60.0
    private static let byteLimit = 4 << 20
    /// What a piece takes of the memory beside its payload, about.
    private static let pieceBytes = 128
    /// Of a burst.
    private static let keptSeconds = 1.0
    /// What comes by so much earlier than it can have been made is of a file all the same.
    private static let surplusSeconds = 3.0
    /// In so long a time: in a day, a station's clock that is faster than this machine's brings as much.
    private static let surplusNanoseconds: UInt64 = 60_000_000_000
    /// What of a file waits here, and how long before its time it is handed on.
    private static let waitingSeconds = 4.0
    private static let aheadNanoseconds: UInt64 = 500_000_000
    /// A file that came too late by so much goes on from now.
    private static let lateNanoseconds: UInt64 = 250_000_000

    /// Whether more is to be read.
    var wantsMore: Bool {
        switch mode {
        case .live, .unknown: true
        case .file: heldSeconds < Self.waitingSeconds && heldBytes < Self.byteLimit
        }
    }

    var isEmpty: Bool { held.isEmpty }

    /// When something happens without more having come.
    var nextNanoseconds: UInt64? {
        switch mode {
        case .live: nil
        case .unknown: start.map { _ in decisionTime }
        case .file: held.isEmpty ? nil : dueTime - min(dueTime, Self.aheadNanoseconds)
        }
    }

    /// Takes what came at a time of the monotonic clock.
    mutating func add(_ pieces: [SoundPiece], at now: UInt64) {
        let first = held.count
        for piece in pieces {
            var (length, bytes) = (0.0, Self.pieceBytes)
            switch piece {
            case .opening(let opening): rate = opening.rate
            // What is missing did not come sooner than it was made.
            case .packet(let packet) where packet.payload.isEmpty: break
            case .packet(let packet):
                length = Double(packet.frames) / Double(rate)
                bytes += packet.payload.count
            }
            held.append(Held(piece: piece, seconds: length, bytes: bytes, arrival: now))
            heldSeconds += length
            heldBytes += bytes
            seconds += length
            if length > 0, start == nil { start = now }
        }
        guard !pieces.isEmpty else { return }
        noteChunk(from: first, at: now)
        if mode == .unknown { recent.append((now, seconds)) }
    }

    /// What came together, as far as it waits here.
    private mutating func noteChunk(from first: Int, at now: UInt64) {
        var (rest, span) = (0.0, 0.0)
        for index in held.indices[first...].reversed() {
            held[index].rest = UInt64(rest * 1e9)
            if held[index].seconds > 0 { span = rest }
            rest += held[index].seconds
        }
        let nanoseconds = UInt64(span * 1e9)
        guard mode == .unknown, rest > 0, let start else { return }
        // A burst brings more and more ahead of its time.
        let surplus = seconds - Double(now - min(now, start)) / 1e9
        if surplus > mostSurplus + Self.surplusTolerance {
            (mostSurplus, chunks, longestSpan) = (surplus, 0, 0)
        } else {
            chunks += 1
            longestSpan = max(longestSpan, nanoseconds)
        }
    }

    /// It is a file: it says how long it is, or has ended.
    mutating func noteFile(at now: UInt64) {
        guard mode != .file else { return }
        (mode, dueTime, recent) = (.file, now, [])
    }

    /// What is due, with the time at which it came or ought to have; of what comes together only the last one's is true.
    mutating func take(at now: UInt64) -> [DuePiece] {
        decide(at: now)
        switch mode {
        case .unknown: return []
        case .live:
            let all = held.map {
                (piece: $0.piece, nanoseconds: spread.time(arrival: $0.arrival, rest: $0.rest), isTimed: $0.rest == 0)
            }
            (held, heldSeconds, heldBytes) = ([], 0, 0)
            return all
        case .file: return takeDue(at: now)
        }
    }

    private mutating func takeDue(at now: UInt64) -> [DuePiece] {
        if !held.isEmpty, now > dueTime + Self.lateNanoseconds { dueTime = now }
        var count = 0
        var due: [DuePiece] = []
        while count < held.count, dueTime < now + Self.aheadNanoseconds {
            let next = held[count]
            due.append((piece: next.piece, nanoseconds: max(dueTime, now), isTimed: true))
            dueTime += UInt64(next.seconds * 1e9)
            heldSeconds -= next.seconds
            heldBytes -= next.bytes
            count += 1
        }
        held.removeFirst(count)
        return due
    }

    private mutating func decide(at now: UInt64) {
        guard mode != .file else { return }
        if heldBytes > Self.byteLimit { return noteFile(at: now) }
        guard let start else { return }
        let passed = now - min(now, start)
        if mode == .live {
            let surplus = seconds - Double(passed) / 1e9
            if surplus > Self.surplusSeconds { return noteFile(at: now) }
            // What it owes after a stall may still come at once.
            if passed > Self.surplusNanoseconds { (self.start, seconds) = (now, min(0, surplus)) }
            return
        }
        while recent.count > 1, recent[0].time + Self.recentNanoseconds < now { recent.removeFirst() }
        if heldSeconds > Self.fileSeconds { return noteFile(at: now) }
        decisionTime = start + Self.leastNanoseconds
        guard passed >= Self.leastNanoseconds else { return }
        let quietTime = (recent.last?.time ?? 0) + Self.recentNanoseconds
        let first = recent.first?.seconds ?? seconds
        decisionTime = quietTime + 1
        guard quietTime < now || seconds - first <= Self.recentSeconds else { return }
        decisionTime = start + Self.mostNanoseconds
        guard passed >= Self.mostNanoseconds || chunks >= Self.enoughChunks else { return }
        mode = .live
        spread = ChunkSpread(longestSpan: longestSpan)
        leaveOutBurst()
        (self.start, seconds, recent) = (now, 0, [])
    }

    mutating func takeLeftOutPackets() -> Int {
        defer { leftOutPackets = 0 }
        return leftOutPackets
    }

    /// Keeps the last second of a burst that is longer, and what a decoder needs before it.
    private mutating func leaveOutBurst() {
        var kept: [Held] = []
        // What came no earlier than it was made is no burst, however long it took to see that.
        var surplus = mostSurplus > Self.keptSeconds ? heldSeconds - Self.keptSeconds : 0
        for next in held {
            switch next.piece {
            case .opening:
                // Packets of sound alone: headers last no time.
                leftOutPackets += kept.count { $0.seconds > 0 }
                kept = [next]
            case .packet(let packet) where packet.flags.contains(.header): kept.append(next)
            case .packet:
                if surplus <= 0 { kept.append(next) } else { leftOutPackets += 1 }
                surplus -= next.seconds
            }
        }
        held = kept
        heldSeconds = kept.reduce(0) { $0 + $1.seconds }
        heldBytes = kept.reduce(0) { $0 + $1.bytes }
    }
}

/// Spreads the packets that come together over the time that they last: each gets the time at which it would have come by itself, and
/// all of them later by as much as the longest chunk lasted before anything was heard.
///
/// So it is with Ogg, whose pages may hold a second, and with servers that send a block at a time. Without this the clock of the sender
/// would be known ten times worse, and found after minutes. It stays the same: a larger one later on would be taken for a clock that
/// has become slower, and what longer chunks need is found out by how late their packets are.
struct ChunkSpread: Sendable {
    /// How much later all are, in nanoseconds: what the longest chunk lasts, but for its first packet.
    let delay: UInt64

    private static let longest: UInt64 = 2_000_000_000
    private static let tolerance: UInt64 = 5_000_000

    /// - Parameter span: what the longest chunk lasts, but for its first packet.
    init(longestSpan span: UInt64 = 0) { delay = span > Self.tolerance ? min(span, Self.longest) : 0 }

    /// When a packet ought to have come that came with later ones.
    ///
    /// - Parameter rest: what those behind it in its chunk last.
    func time(arrival: UInt64, rest: UInt64) -> UInt64 {
        // One that is late by more than that is late.
        arrival + delay - min(rest, delay)
    }
}

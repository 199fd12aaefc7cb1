import AudioRealtime

/// What was sent to controllers a moment ago and may come back: by way of a MIDI Through port, a cable, or a connection of the
/// output with the input. A message that is equal to one of these is an echo and not a move. One that was sent has one echo: what
/// is equal and comes later is a move again. Where there are two ways back, both echoes come together.
///
/// A pad that is hit again soon sends what its lamp was just told. Where nothing came back of its last lamp, and the pad was let
/// go since the lamp was told, that is a hit.
struct MIDIEchoes {
    /// How long a message may take to come back: a hundred milliseconds, and where periods are long, six of them.
    private static let leastNanoseconds: UInt64 = 100_000_000
    private static let periods = 6.0
    /// Two ways back differ by a period at most, and by how often is looked.
    private static let togetherNanoseconds: UInt64 = 5_000_000

    private struct Trace {
        /// When it was sent, each time whose echo has not come yet.
        var sent: [UInt64] = []
        /// When an echo of it came last by the first way back, and when that had been sent.
        var back: (sent: UInt64, came: UInt64)?
    }

    private var traces: [MIDIMessage: Trace] = [:]
    /// What nothing came back of when it was told something last: a message without its value.
    private var silent: Set<MIDIMessage> = []
    /// When something was connected last: what was sent before tells nothing of a way back.
    private var connectedNanoseconds: UInt64 = 0
    /// When each was let go last.
    private var released: [MIDIMessage: UInt64] = [:]
    /// When messages were seen last that no cycle had taken yet, as while the server stands still.
    private var waitedNanoseconds: UInt64 = 0
    /// When `forget` was called last. What is found now may have come at any time since.
    private var lookedNanoseconds: UInt64 = 0
    private var periodNanoseconds: UInt64 = 0

    /// A message is on its way out.
    mutating func add(_ message: MIDIMessage, atNanoseconds now: UInt64) {
        traces[message, default: Trace()].sent.append(now)
    }

    /// Something was connected: there may be a way back that was not there.
    mutating func noteConnection(atNanoseconds now: UInt64) { (silent, connectedNanoseconds) = ([], now) }

    /// Forgets what cannot come back any more. To be called before messages are looked at.
    ///
    /// - Parameters:
    ///   - isWaiting: whether messages are still to go out.
    ///   - periodSeconds: the server's period.
    mutating func forget(atNanoseconds now: UInt64, isWaiting: Bool, periodSeconds: () -> Double) {
        let lookedBefore = lookedNanoseconds
        lookedNanoseconds = now
        guard !traces.isEmpty else { return }
        if isWaiting { waitedNanoseconds = now }
        periodNanoseconds = UInt64(periodSeconds() * 1e9)
        let window = max(Self.leastNanoseconds, UInt64(Self.periods * Double(periodNanoseconds)))
        for (message, trace) in traces {
            func isAwaited(_ sent: UInt64, at time: UInt64) -> Bool { time < max(sent, waitedNanoseconds) + window }
            let sent = trace.sent.filter { isAwaited($0, at: lookedBefore) }
            if trace.sent.contains(where: { $0 >= connectedNanoseconds && !isAwaited($0, at: lookedBefore) }) {
                silent.insert(message.place)
            }
            let back = trace.back.flatMap { isAwaited($0.sent, at: now) ? $0 : nil }
            traces[message] = sent.isEmpty && back == nil ? nil : Trace(sent: sent, back: back)
        }
    }

    /// Whether what has come is an echo.
    mutating func take(_ message: MIDIMessage, atNanoseconds now: UInt64) -> Bool {
        defer { if message.isRelease { released[message.place] = now } }
        guard let trace = traces[message] else { return false }
        if let back = trace.back, now <= back.came + periodNanoseconds + Self.togetherNanoseconds { return true }
        guard let sent = trace.sent.first else { return false }
        if silent.contains(message.place), released[message.place, default: 0] > sent { return false }
        traces[message] = Trace(sent: Array(trace.sent.dropFirst()), back: (sent, now))
        // What is let go may say the same as its lamp that goes out.
        if !message.isRelease { silent.remove(message.place) }
        return true
    }
}

extension MIDIMessage {
    /// What it is of, whatever its value: a key, a controller.
    fileprivate var place: MIDIMessage { MIDIMessage(status & 0xf0 == 0x80 ? status | 0x10 : status, first) }

    /// Whether a key or a button is let go.
    fileprivate var isRelease: Bool { status & 0xf0 == 0x80 || second == 0 }
}

import AudioRealtime

/// What was sent to controllers a moment ago and may come back: by way of a MIDI Through port, a cable, or a connection of the
/// output with the input. A reading that is equal to one of these is an echo and not a move. One message has one echo: what is equal
/// and comes later is a move again. Where there are two ways back, both echoes come together.
struct MIDIEchoes {
    /// How long a message may take to come back: a hundred milliseconds, and where periods are long, six of them.
    private static let leastNanoseconds: UInt64 = 100_000_000
    private static let periods = 6.0

    /// Reads what is sent as a controller's messages are read.
    private var decoder = MIDIDecoder()
    /// Two ways back differ by a period at most, and by how often is looked.
    private static let togetherNanoseconds: UInt64 = 5_000_000

    /// When each reading was sent last, and when it first came back since.
    private var sent: [MIDIReading: (nanoseconds: UInt64, back: UInt64?)] = [:]
    private var periodNanoseconds: UInt64 = 0
    /// When messages were seen last that no cycle had taken yet, as while the server stands still.
    private var waitedNanoseconds: UInt64 = 0

    /// A message is on its way out.
    mutating func add(_ message: MIDIMessage, atNanoseconds now: UInt64) {
        for reading in decoder.read(message) { sent[reading] = (now, nil) }
    }

    /// Forgets what cannot come back any more. To be called before readings are looked at.
    ///
    /// - Parameters:
    ///   - isWaiting: whether messages are still to go out.
    ///   - periodSeconds: the server's period.
    mutating func forget(atNanoseconds now: UInt64, isWaiting: Bool, periodSeconds: () -> Double) {
        guard !sent.isEmpty else { return }
        if isWaiting { waitedNanoseconds = now }
        periodNanoseconds = UInt64(periodSeconds() * 1e9)
        let window = max(Self.leastNanoseconds, UInt64(Self.periods * Double(periodNanoseconds)))
        sent = sent.filter { now < max($0.value.nanoseconds, waitedNanoseconds) + window }
    }

    /// Whether what has come is an echo.
    mutating func take(_ reading: MIDIReading, atNanoseconds now: UInt64) -> Bool {
        guard let back = sent[reading]?.back else {
            sent[reading]?.back = now
            return sent[reading] != nil
        }
        return now <= back + periodNanoseconds + Self.togetherNanoseconds
    }
}

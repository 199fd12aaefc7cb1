/// What has come of the next stream while the one before is still being played. It is bounded: of what is too much the oldest packets go.
struct WaitingEvents {
    private(set) var events: [SourceEvent] = []
    private var bytes = 0
    /// Packets that were let go.
    private(set) var droppedPackets = 0
    private let byteLimit: Int

    static let byteLimit = 16 << 20
    private static let countLimit = 8192

    init(byteLimit: Int = Self.byteLimit) { self.byteLimit = byteLimit }

    var isEmpty: Bool { events.isEmpty }

    mutating func append(_ event: SourceEvent) {
        events.append(event)
        bytes += event.bytes
        if bytes > byteLimit || events.count > Self.countLimit { drop() }
    }

    /// Hands out all of them.
    mutating func take() -> [SourceEvent] {
        defer { (events, bytes) = ([], 0) }
        return events
    }

    /// Drops an eighth at once, so that a flood costs each event little; packets of sound first, since all else says what later ones
    /// are.
    private mutating func drop() {
        let (wantedBytes, wantedCount) = (byteLimit / 8 * 7, Self.countLimit / 8 * 7)
        var count = events.count
        func isEnough() -> Bool { bytes <= wantedBytes && count <= wantedCount }
        events.removeAll { event in
            guard !isEnough(), case .packet(let packet, _, _) = event, !packet.flags.contains(.header) else {
                return false
            }
            droppedPackets += 1
            bytes -= event.bytes
            count -= 1
            return true
        }
        events.removeAll { event in
            guard !isEnough() else { return false }
            bytes -= event.bytes
            count -= 1
            return true
        }
    }
}

extension SourceEvent {
    /// What it takes of the memory, about.
    fileprivate var bytes: Int {
        if case .packet(let packet, _, _) = self { return packet.payload.count + 128 }
        return 128
    }
}

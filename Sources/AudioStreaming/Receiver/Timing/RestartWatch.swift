/// Finds out that a sender was started again and counts from a lower number: nothing but old numbers comes for long.
struct RestartWatch: Sendable {
    /// Packets in a row whose numbers were passed.
    private var count = 0
    /// When the last of another kind came.
    private var lastNanoseconds: UInt64 = 0

    private static let mostPackets = 10
    private static let patienceNanoseconds: UInt64 = 500_000_000

    /// Whether it was, after one more packet.
    mutating func isSeen(in arrival: JitterBuffer.Arrival, at nanoseconds: UInt64) -> Bool {
        guard arrival == .late || arrival == .duplicate else {
            (count, lastNanoseconds) = (0, nanoseconds)
            return false
        }
        count += 1
        return count >= Self.mostPackets && nanoseconds > lastNanoseconds + Self.patienceNanoseconds
    }
}

/// Takes the titles out that a server of the SHOUTcast kind puts between the sound, though nobody asked for them.
struct IcyFilter: Sendable {
    private let interval: Int
    /// Bytes of sound before the next title.
    private var soundLeft: Int
    /// Of a title, bytes that are still to come.
    private var titleLeft = 0

    /// - Parameter interval: bytes of sound between two titles, 1 or more.
    init(interval: Int) {
        self.interval = interval
        soundLeft = interval
    }

    mutating func sound(of bytes: [UInt8]) -> [UInt8] {
        var sound: [UInt8] = []
        var rest = bytes[...]
        while let first = rest.first {
            if titleLeft > 0 {
                let count = min(titleLeft, rest.count)
                rest.removeFirst(count)
                titleLeft -= count
            } else if soundLeft > 0 {
                let count = min(soundLeft, rest.count)
                sound += rest.prefix(count)
                rest.removeFirst(count)
                soundLeft -= count
            } else {
                // Its length, in sixteens.
                titleLeft = 16 * Int(first)
                soundLeft = interval
                rest.removeFirst()
            }
        }
        return sound
    }
}

/// Finds out what of a controller was moved, and what it sends: a fader, a button, an encoder of one kind or another.
struct MIDILearner {
    private var readings: [MIDIReading] = []
    private var messages = 0
    private var lastNanoseconds: UInt64 = 0

    /// So many messages say enough.
    private static let enough = 48
    /// A controller that rests for as long has said all.
    private static let restNanoseconds: UInt64 = 600_000_000

    /// - Parameter read: what a message says to the run's decoder, which knows the parameter that was chosen before.
    mutating func take(_ read: [MIDIReading], atNanoseconds now: UInt64) {
        guard messages < Self.enough, !read.isEmpty else { return }
        messages += 1
        readings += read
        lastNanoseconds = now
    }

    /// What was moved, once it is known.
    func result(atNanoseconds now: UInt64) -> (source: MIDISource, mode: MIDIMode)? {
        // A button that is held sends its second message when it is let go.
        let rest = messages == 1 ? 2 * Self.restNanoseconds : Self.restNanoseconds
        guard messages >= Self.enough || (messages > 0 && now >= lastNanoseconds + rest) else {
            return nil
        }
        var counts: [MIDISource: Int] = [:]
        for reading in readings { counts[reading.source, default: 0] += 1 }
        func count(_ channel: Int, _ kind: MIDISource.Kind) -> Int {
            counts[MIDISource(channel: channel, kind: kind)] ?? 0
        }
        // Data of a parameter are nothing else; then a controller whose other half comes too.
        func most(_ isMeant: (MIDISource) -> Bool) -> MIDISource? {
            counts.filter { isMeant($0.key) }.max { ($0.value, "\($1.key)") < ($1.value, "\($0.key)") }?.key
        }
        if let parameter = most({ if case .parameter = $0.kind { true } else { false } }) {
            return (parameter, .absolute)
        }
        let pair = most { source in
            guard case .pair(let number) = source.kind else { return false }
            return count(source.channel, .control(number)) > 0 && count(source.channel, .control(number + 32)) > 0
        }
        if let pair { return (pair, .absolute) }
        guard let source = most({ if case .pair = $0.kind { false } else { true } }) else { return nil }
        return (source, mode(of: source))
    }

    private func mode(of source: MIDISource) -> MIDIMode {
        guard case .control = source.kind else { return .absolute }
        let values = readings.filter { $0.source == source }.map(\.value)
        // One value when it is pressed, as 127 or 1, and 0 when it is let go.
        if values.count >= 2, let pressed = values.first, pressed > 0,
            values.enumerated().allSatisfy({ $0.element == ($0.offset % 2 == 0 ? pressed : 0) })
        {
            return .toggle
        }
        // A fader never sends a value twice in a row; of an encoder that is turned evenly, most values are the same.
        let repeats = zip(values, values.dropFirst()).count { $0 == $1 }
        guard values.count >= 3, repeats * 2 >= values.count - 1 else { return .absolute }
        if values.allSatisfy({ (48...80).contains($0) }) { return .offset }
        if values.allSatisfy({ (1...15).contains($0) || (65...79).contains($0) }), values.contains(where: { $0 > 64 }) {
            return .signMagnitude
        }
        return values.allSatisfy { (1...15).contains($0) || (113...127).contains($0) } ? .twosComplement : .absolute
    }
}

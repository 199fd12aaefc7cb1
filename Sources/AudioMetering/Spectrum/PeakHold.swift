/// Levels as a display shows them: they rise at once and fall slowly, and each has a mark that stays for a while.
public struct PeakHold: Sendable, Equatable {
    /// In dB.
    public private(set) var levels: [Double]
    /// The marks, in dB.
    public private(set) var held: [Double]
    private var heldUntil: [Double]
    private var last: Double?

    /// In dB a second.
    public static let fallPerSecond = 26.0
    /// How long a mark stays.
    public static let holdSeconds = 1.5

    /// - Parameters:
    ///   - count: how many levels; what is negative counts as 0.
    ///   - floor: what they begin at, in dB.
    public init(count: Int, floor: Double = SpectrumLines.floorDecibels) {
        levels = Array(repeating: floor, count: max(0, count))
        held = levels
        heldUntil = Array(repeating: 0, count: levels.count)
    }

    /// - Parameters:
    ///   - now: the levels in dB, as many as there are.
    ///   - time: in seconds, of any origin, rising.
    public mutating func update(_ now: [Double], atSeconds time: Double) {
        precondition(now.count == levels.count)
        let fall = Self.fallPerSecond * max(0, time - (last ?? time))
        last = time
        for index in now.indices {
            levels[index] = max(now[index], levels[index] - fall)
            if now[index] >= held[index] {
                held[index] = now[index]
                heldUntil[index] = time + Self.holdSeconds
            } else if time >= heldUntil[index] {
                held[index] = max(levels[index], held[index] - fall)
            }
        }
    }
}

import Fourier

/// Finds how much later the far end comes back at the near end: the generalised cross correlation (Knapp and Carter, IEEE
/// Transactions on Acoustics, Speech, and Signal Processing 24, 1976), weighted by coherence.
///
/// It looks eight times a second at the last half second of the near end beside the last second of the far end. The delay is the
/// begin of what is heard, the direct sound, and not the loudest reflection. Thread: one at a time.
struct DelaySearch {
    private static let length = 8192
    private static let hop = 1024
    /// In samples at 8000 Hz: 500 ms.
    private static let longest = 4000
    /// What an average forgets in a hop: it lasts for some 0.6 s.
    private static let memory: Float = 0.8
    /// How far the peak stands out of the root mean square of all delays where there is one.
    private static let leastProminence: Float = 8
    /// How near two findings are to be the same, and what is no news: 2 ms.
    private static let tolerance = 16
    /// How much louder than nothing the far end is where it says something: −60 dB of full scale.
    private static let leastPower: Float = 1e-6

    /// So often it looks before it trusts what it sees: where the sound begins, both ends begin at once.
    private static let leastLooks = 4

    private let transform = RealTransform(length: length)
    private var far = [Float](repeating: 0, count: length)
    private var near = [Float](repeating: 0, count: length / 2)
    private var waiting = 0
    private var looks = 0
    private var average = CrossSpectrum(lines: length / 2 + 1)
    /// What the last look found, where that is not the delay that is held to.
    private var candidate: Int?
    /// In samples at 8000 Hz; `nil` before it was found.
    private(set) var delay: Int?

    /// Adds as many samples of both ends, at 8000 Hz; returns whether another delay was found.
    mutating func add(far newFar: [Float], near newNear: [Float]) -> Bool {
        far.append(contentsOf: newFar)
        near.append(contentsOf: newNear)
        waiting += newNear.count
        guard waiting >= Self.hop else { return false }
        waiting -= Self.hop
        far.removeFirst(far.count - Self.length)
        near.removeFirst(near.count - Self.length / 2)
        return look()
    }

    private mutating func look() -> Bool {
        let power = far.suffix(Self.length / 2).reduce(Float(0)) { $0 + $1 * $1 } / Float(Self.length / 2)
        guard power > Self.leastPower else { return false }
        // Before the near end's half second lies silence: so what is correlated by the transform is not wrapped around.
        let late = [Float](repeating: 0, count: Self.length / 2) + near
        average.add(far: transform.lines(of: far), near: transform.lines(of: late), keeping: Self.memory)
        looks += 1
        guard looks >= Self.leastLooks, let found = begin() else {
            candidate = nil
            return false
        }
        if let delay, abs(found - delay) <= Self.tolerance {
            candidate = nil
            return false
        }
        defer { candidate = found }
        guard let candidate, abs(found - candidate) <= Self.tolerance else { return false }
        delay = found
        return true
    }

    /// Where the echo begins, of what the average has; `nil` where nothing stands out.
    private func begin() -> Int? {
        // From 100 Hz to 3600 Hz: below there is hum, and above nothing that was not cut off.
        let band = Self.length / 80...Self.length * 36 / 80
        let lines = (0...Self.length / 2).map { band.contains($0) ? average.coherence($0) : SpectrumLine() }
        let correlation = transform.block(of: lines)
        var (peak, place, power): (Float, Int, Float) = (0, 0, 0)
        for delay in 0...Self.longest {
            let height = abs(correlation[delay])
            power += height * height
            if height > peak { (peak, place) = (height, delay) }
        }
        guard peak > Self.leastProminence * (power / Float(Self.longest)).squareRoot() else { return nil }
        // The direct sound may be softer than what comes up to 20 ms after it.
        return (max(0, place - 160)...place).first { abs(correlation[$0]) > peak / 2 }
    }
}

/// Makes a number continuous that begins again with 0 after its last value: each is taken for the one that is nearest to
/// the one before.
struct Unwrapper<Number: FixedWidthInteger & UnsignedInteger & Sendable>: Sendable {
    private var last: Int?

    /// - Parameter number: up to half of all values away from the one before.
    mutating func unwrap(_ number: Number) -> Int {
        guard let last else {
            self.last = Int(truncatingIfNeeded: number)
            return Int(truncatingIfNeeded: number)
        }
        // The difference modulo all values, as a signed number.
        let difference = number &- Number(truncatingIfNeeded: last)
        let half = Number.max / 2
        let signed =
            difference <= half ? Int(truncatingIfNeeded: difference) : -Int(truncatingIfNeeded: 0 &- difference)
        let value = last &+ signed
        self.last = value
        return value
    }
}

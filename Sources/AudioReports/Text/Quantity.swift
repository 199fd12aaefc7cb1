/// Numbers as people read them.

/// As numbers of a run are compared, saved and reported.
package func thousandths(_ number: Double) -> Double { (number * 1000).rounded() / 1000 }

/// A number with so many digits after the point, without exponent or sign of nothing.
///
/// What is no number, or has more digits than 64 bits hold, is said in words.
package func fixed(_ value: Double, _ digits: Int) -> String {
    guard value.isFinite else { return value.isNaN ? "–" : value > 0 ? "endless" : "-endless" }
    let factor = power(of: digits)
    let scaled = (abs(value) * Double(factor)).rounded()
    guard scaled < 9e18 else { return value > 0 ? "huge" : "-huge" }
    let number = UInt64(scaled)
    let sign = value < 0 && number > 0 ? "-" : ""
    guard digits > 0 else { return "\(sign)\(number)" }
    return "\(sign)\(number / factor)." + zeroPadded(number % factor, digits)
}

/// A number of 0 or more with zeros before it, up to a width.
package func zeroPadded(_ number: some BinaryInteger, _ width: Int, radix: Int = 10) -> String {
    let digits = String(number, radix: radix)
    return String(repeating: "0", count: max(0, width - digits.count)) + digits
}

/// The text of a number without zeros that say nothing: those at its end behind the point, and a point without digits.
func withoutZeros(_ text: String) -> String {
    guard text.contains(".") else { return text }
    var short = text
    while short.last == "0" { short.removeLast() }
    if short.last == "." { short.removeLast() }
    return short
}

private func power(of digits: Int) -> UInt64 { (0..<digits).reduce(1) { product, _ in product * 10 } }

/// A number with so many digits that matter, and no more after the point than that leaves.
package func rounded(_ value: Double, significantDigits: Int = 3) -> String {
    for digits in stride(from: significantDigits - 1, through: 0, by: -1) {
        let text = fixed(value, digits)
        if text.count(where: \.isNumber) - (abs(value) < 1 ? 1 : 0) <= significantDigits || digits == 0 { return text }
    }
    return fixed(value, 0)
}

/// One of `noun`, or several of `nouns`.
package func counted(_ count: some BinaryInteger, _ noun: String, _ nouns: String? = nil) -> String {
    "\(count) \(count == 1 ? noun : nouns ?? noun + "s")"
}

/// `once`, `2 times`.
package func timesInWords(_ count: some BinaryInteger) -> String { count == 1 ? "once" : "\(count) times" }

/// Frames: whole ones without a fraction.
package func frames(_ count: Double) -> String {
    let isWhole = abs(count - count.rounded()) < 0.0005
    let text = isWhole ? fixed(count, 0) : abs(count) < 10 ? fixed(count, 3) : fixed(count, 1)
    return text + (text == "1" ? " frame" : " frames")
}

package enum TimeUnit: Double, CaseIterable {
    case nanoseconds = 1
    case microseconds = 1e3
    case milliseconds = 1e6
    case seconds = 1e9

    package var symbol: String {
        switch self {
        case .nanoseconds: "ns"
        case .microseconds: "µs"
        case .milliseconds: "ms"
        case .seconds: "s"
        }
    }

    /// The longest unit of which there is a whole one in the time.
    package init(fitting nanoseconds: Double) {
        self = TimeUnit.allCases.last { abs(nanoseconds) >= $0.rawValue } ?? .nanoseconds
    }

    package func text(_ nanoseconds: Double, digits: Int) -> String { fixed(nanoseconds / rawValue, digits) }
}

/// A time in the unit that suits it: `41.3 µs`, `1.33 ms`.
package func duration(_ nanoseconds: Double, significantDigits: Int = 3) -> String {
    guard nanoseconds != 0 else { return "0" }
    let unit = TimeUnit(fitting: nanoseconds)
    // No clock here tells parts of a nanosecond.
    if unit == .nanoseconds { return fixed(nanoseconds, 0) + " ns" }
    let text = rounded(nanoseconds / unit.rawValue, significantDigits: significantDigits)
    if text == "1000" || text == "-1000", let next = TimeUnit(rawValue: unit.rawValue * 1000) {
        return rounded(nanoseconds / next.rawValue, significantDigits: significantDigits) + " " + next.symbol
    }
    return text + " " + unit.symbol
}

/// The least time of three digits that is not shorter, for a claim that something is *within* it.
package func durationAtMost(_ nanoseconds: Int64) -> String {
    guard nanoseconds > 0 else { return "0 ns" }
    var step: Int64 = 1
    while nanoseconds / step >= 1000 { step *= 10 }
    let steps = nanoseconds / step + (nanoseconds % step > 0 ? 1 : 0)
    return duration(Double(steps) * Double(step))
}

/// A number of bytes for people.
package func size(_ bytes: Int) -> String {
    let units = ["B", "kB", "MB", "GB", "TB", "PB"]
    var value = Double(bytes)
    var unit = 0
    while value >= 999.5 && unit < units.count - 1 {
        value /= 1000
        unit += 1
    }
    return "\(unit == 0 ? "\(bytes)" : fixed(value, value < 9.95 ? 2 : value < 99.5 ? 1 : 0)) \(units[unit])"
}

/// Hours, minutes and seconds, up to 99999 hours. A value that is no time is 0: a length that a file claims may be anything.
package func clock(_ seconds: Double) -> String {
    let whole = seconds > 0 ? Int(min(seconds, 359_999_999)) : 0
    return [whole / 3600, whole / 60 % 60, whole % 60].map { zeroPadded($0, 2) }.joined(separator: ":")
}

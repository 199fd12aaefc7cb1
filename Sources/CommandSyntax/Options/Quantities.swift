import AudioDSP
import AudioReports
import Threads

// Quantities that are written in forms of their own.
extension TypedOption where Value == Int? {
    /// Bits per second: 96000, 96k, 1.5M.
    package static func bitRate(_ name: String, _ help: String) -> Self {
        Self(Option(name, "RATE", help)) { arguments throws(Failure) in
            let expected = "bits per second, as in 96000, 96k or 96kbps"
            return try arguments.value(name, taking: expected) { text in
                guard let rate = Quantity.read(text, Quantity.bitRates), (1...1e9).contains(rate) else { return nil }
                return Int(rate.rounded())
            }
        }
    }
}

extension TypedOption where Value == Int64? {
    /// A moment: the next time that clocks show 22:00 or 22:00:30, or after a time, as +90, +10min or +1:30:00. In
    /// nanoseconds since 1970.
    package static func moment(_ name: String, _ help: String) -> Self {
        Self(Option(name, "TIME", help)) { arguments throws(Failure) in
            let expected = "a time of day, as in 22:00 or 22:00:30, or a time from now, as in +10min"
            return try arguments.value(name, taking: expected) { text in
                let now = WallClock.nanoseconds()
                guard text.hasPrefix("+") else { return Quantity.nextTimeOfDay(text, after: now) }
                guard let seconds = Quantity.seconds(String(text.dropFirst())), (0...1e8).contains(seconds) else {
                    return nil
                }
                return now + Int64(seconds * 1e9)
            }
        }
    }
}

/// An option that takes a number of frames: 64, 64frames, or the time that they last, as 2ms.
package struct FrameOption: Sendable {
    /// For the help.
    package let option: Option
    fileprivate let range: ClosedRange<Int>
    fileprivate let initial: Int

    package init(
        _ name: String, short: Character? = nil, _ range: ClosedRange<Int>, initial: Int, _ help: String,
        with change: (Option) -> Option
    ) {
        let told = "\(help), \(range.lowerBound) to \(range.upperBound), or its time, as 5ms (\(initial))"
        self.init(change(Option(name, short: short, "FRAMES", told)), range, initial)
    }

    private init(_ option: Option, _ range: ClosedRange<Int>, _ initial: Int) {
        (self.option, self.range, self.initial) = (option, range, initial)
    }

    /// What is read where the same option means something else.
    package func within(_ range: ClosedRange<Int>, initial: Int) -> Self { Self(option, range, initial) }
}

extension Arguments {
    /// What an option is given as, or its default, in frames.
    package func value(of option: FrameOption, sampleRate: Int) throws(Failure) -> Int {
        let range = option.range
        let name = option.option.name
        /// Of a time.
        func lasting(_ text: String) -> Double? {
            Quantity.read(text, Quantity.timesWithUnit).map { ($0 * Double(sampleRate) * 1e6).rounded() / 1e6 }
        }
        if let text = value(name), let frames = lasting(text) {
            try require(
                frames == frames.rounded(),
                "--\(name) takes a whole number of frames, and \(shown(text)) is \(shortest(frames)) at \(sampleRate) Hz",
                of: name)
        }
        let expected =
            "a whole number from \(range.lowerBound) to \(range.upperBound) frames, as in 64, 64frames or 2ms"
        let given: Int? = try value(name, taking: expected) { text in
            guard let frames = Quantity.frames(text) ?? lasting(text), abs(frames) < 1e9 else { return nil }
            return Int(exactly: frames).flatMap { range.contains($0) ? $0 : nil }
        }
        return given ?? option.initial
    }

    /// Whether the sample rate must be known for that.
    package func isTime(_ option: FrameOption) -> Bool {
        value(option.option.name).flatMap { Quantity.read($0, Quantity.timesWithUnit) } != nil
    }
}

/// A number with a unit.
package enum Quantity {
    /// 48000, 48k, 44.1kHz.
    package static func hertz(_ text: String) -> Double? {
        read(text, [("", 1), ("Hz", 1), ("k", 1000), ("kHz", 1000)])
    }

    /// In seconds.
    static let times: [(unit: String, factor: Double)] = [
        ("", 1), ("s", 1), ("sec", 1), ("ms", 0.001), ("us", 1e-6), ("µs", 1e-6), ("min", 60), ("h", 3600),
    ]

    /// Where a number alone means something else.
    package static let timesWithUnit = Array(times.dropFirst())

    /// 90, 1.5min or 1:30, in seconds.
    static func seconds(_ text: String) -> Double? { clock(text) ?? read(text, times) }

    /// Minutes and seconds, or hours before them.
    package static func clock(_ text: String) -> Double? {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard (2...3).contains(parts.count) else { return nil }
        var seconds = 0.0
        for (place, part) in parts.enumerated() {
            guard part.allSatisfy({ $0.isASCII && ($0.isNumber || $0 == ".") }), let number = Double(part),
                place == 0 || number < 60
            else { return nil }
            seconds = seconds * 60 + number
        }
        return seconds
    }

    /// The next moment at which clocks show a time of day, as 22:00 or 22:00:30. In nanoseconds since 1970, as `now`.
    static func nextTimeOfDay(_ text: String, after now: Int64) -> Int64? {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false).map { part in
            (1...2).contains(part.count) && part.allSatisfy { ("0"..."9").contains($0) } ? Int(part) : nil
        }
        guard (2...3).contains(parts.count), let hour = parts[0], let minute = parts[1],
            let second = parts.count == 3 ? parts[2] : 0, hour < 24, minute < 60, second < 60
        else { return nil }
        // One that is only just over may still be meant.
        return LocalTime.next(hour: hour, minute: minute, second: second, after: now - 1_000_000_000)
    }

    static let bitRates: [(unit: String, factor: Double)] = [
        ("", 1), ("k", 1000), ("M", 1e6), ("kbps", 1000), ("kbit/s", 1000), ("Mbps", 1e6), ("Mbit/s", 1e6),
    ]

    /// 64, 64frames, 64 frames.
    package static func frames(_ text: String) -> Double? { read(text, [("", 1), ("frames", 1), ("frame", 1)]) }

    /// 20, 20ms, 0.02s.
    package static func milliseconds(_ text: String) -> Double? {
        read(text, [("", 1), ("ms", 1), ("s", 1000), ("us", 0.001), ("µs", 0.001)])
    }

    /// -3, -3dB.
    package static func decibels(_ text: String) -> Double? { read(text, [("", 1), ("dB", 1)]) }

    /// - Parameter factors: of each unit, which may stand behind a blank; capitals do not matter.
    package static func read(_ text: String, _ factors: [(unit: String, factor: Double)]) -> Double? {
        let digits = text.prefix { $0.isASCII && ($0.isNumber || "+-.".contains($0)) }
        let rest = text.dropFirst(digits.count)
        let unit = (rest.first == " " && rest.count > 1 ? rest.dropFirst() : rest).lowercased()
        guard let number = Double(digits), number.isFinite,
            let factor = factors.first(where: { $0.unit.lowercased() == unit })?.factor
        else { return nil }
        // Of 44.1k no digit is to be lost.
        return (number * factor * 1e9).rounded() / 1e9
    }
}

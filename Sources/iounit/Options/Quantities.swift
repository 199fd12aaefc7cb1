import AudioRecording
import AudioReports
import Threads

// Numbers with units, as people write them: 48k, 1:30, 250ms, -3dB.
extension Arguments {
    /// A rate in hertz: 48000, 48k, 44.1kHz.
    func hertz(_ name: String, _ range: ClosedRange<Int>) throws(Failure) -> Int? {
        guard let text = value(name) else { return nil }
        guard let hertz = Quantity.hertz(text), hertz == hertz.rounded(), range.contains(Int(hertz)) else {
            throw usage(
                "--\(name) takes a rate from \(range.lowerBound) to \(range.upperBound) Hz, as in 48000 or 44.1k, "
                    + "not \"\(shown(text))\"")
        }
        return Int(hertz)
    }

    /// Bits per second: 96000, 96k, 1.5M.
    func bitRate(_ name: String) throws(Failure) -> Int? {
        guard let text = value(name) else { return nil }
        guard let rate = Quantity.read(text, [("", 1.0), ("k", 1000), ("M", 1e6)]), (1...1e9).contains(rate) else {
            throw usage("--\(name) takes bits per second, as in 96000 or 96k, not \"\(shown(text))\"")
        }
        return Int(rate.rounded())
    }

    /// A time in seconds: 90, 90s, 1.5min, 250ms, 1:30, 1:02:03.5.
    func seconds(_ name: String, _ range: ClosedRange<Double>) throws(Failure) -> Double? {
        guard let text = value(name) else { return nil }
        let factors = [("", 1.0), ("s", 1), ("ms", 0.001), ("min", 60), ("h", 3600)]
        guard let seconds = clock(text) ?? Quantity.read(text, factors), range.contains(seconds) else {
            throw usage("--\(name) takes a time, as in 90, 250ms or 1:30, not \"\(shown(text))\"")
        }
        return seconds
    }

    /// A level or gain: -3, -3dB.
    func decibels(_ name: String, _ range: ClosedRange<Double>) throws(Failure) -> Double? {
        guard let text = value(name) else { return nil }
        guard let decibels = Quantity.decibels(text), range.contains(decibels) else {
            throw usage(
                "--\(name) takes decibels from \(Int(range.lowerBound)) to \(Int(range.upperBound)), as in -3 or -3dB, "
                    + "not \"\(shown(text))\"")
        }
        return decibels
    }

    /// Where files end: after a time, as 10min or 1:00:00, or before a size, as 2GiB or 700MB.
    func split(_ name: String) throws(Failure) -> RecordingSplit? {
        guard let text = value(name) else { return nil }
        let sizes: [(String, Double)] = [
            ("B", 1), ("kB", 1e3), ("MB", 1e6), ("GB", 1e9), ("KiB", 1024), ("MiB", 1_048_576), ("GiB", 1_073_741_824),
        ]
        if let bytes = Quantity.read(text, sizes), (100_000...1e15).contains(bytes) { return .bytes(Int(bytes)) }
        let times = [("s", 1.0), ("min", 60), ("h", 3600)]
        guard let seconds = clock(text) ?? Quantity.read(text, times), (0.1...1e9).contains(seconds) else {
            throw usage(
                "--\(name) takes a time from 0.1s on, as in 10min, 1h or 1:00:00, or a size from 100kB on, as in 700MB or "
                    + "2GiB, not \"\(shown(text))\"")
        }
        return .seconds(seconds)
    }

    /// A moment: the next time that clocks show 22:00 or 22:00:30, or after a time, as +90, +10min or +1:30:00. In
    /// nanoseconds since 1970.
    func moment(_ name: String) throws(Failure) -> Int64? {
        guard let text = value(name) else { return nil }
        let now = WallClock.nanoseconds()
        if text.hasPrefix("+") {
            let rest = String(text.dropFirst())
            let factors = [("", 1.0), ("s", 1), ("ms", 0.001), ("min", 60), ("h", 3600)]
            if let seconds = clock(rest) ?? Quantity.read(rest, factors), (0...1e8).contains(seconds) {
                return now + Int64(seconds * 1e9)
            }
        } else if let moment = LocalMoment(nextTimeOfDay: text, after: now) {
            return moment.nanoseconds
        }
        throw usage(
            "--\(name) takes a time of day, as in 22:00 or 22:00:30, or a time from now, as in +10min, not "
                + "\"\(shown(text))\"")
    }

    /// Minutes and seconds, or hours before them.
    private func clock(_ text: String) -> Double? {
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
}

/// A number with a unit.
enum Quantity {
    /// 48000, 48k, 44.1kHz.
    static func hertz(_ text: String) -> Double? { read(text, [("", 1), ("Hz", 1), ("k", 1000), ("kHz", 1000)]) }

    /// -3, -3dB.
    static func decibels(_ text: String) -> Double? { read(text, [("", 1), ("dB", 1)]) }

    /// - Parameter factors: of each unit; capitals do not matter.
    static func read(_ text: String, _ factors: [(unit: String, factor: Double)]) -> Double? {
        let digits = text.prefix { $0.isASCII && ($0.isNumber || "+-.".contains($0)) }
        let unit = text.dropFirst(digits.count).lowercased()
        guard let number = Double(digits), number.isFinite,
            let factor = factors.first(where: { $0.unit.lowercased() == unit })?.factor
        else { return nil }
        // Of 44.1k no digit is to be lost.
        return (number * factor * 1e9).rounded() / 1e9
    }
}

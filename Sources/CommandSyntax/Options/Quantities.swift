import AudioReports
import TerminalPages
import Threads

// Numbers with units, as people write them: 48k, 1:30, 250ms, -3dB.
extension Arguments {
    /// A rate in hertz: 48000, 48k, 44.1kHz.
    package func hertz(_ name: String, _ range: ClosedRange<Int>) throws(Failure) -> Int? {
        guard let text = value(name) else { return nil }
        guard let hertz = Quantity.hertz(text), hertz == hertz.rounded(), range.contains(Int(hertz)) else {
            throw usage(
                "--\(name) takes a rate from \(range.lowerBound) to \(range.upperBound) Hz, as in 48000, 44.1k or 48kHz, "
                    + "not \"\(shown(text))\"", of: name)
        }
        return Int(hertz)
    }

    /// The frequency of a tone in hertz: 442, 442.5Hz.
    package func pitch(_ name: String, _ range: ClosedRange<Double>) throws(Failure) -> Double? {
        guard let text = value(name) else { return nil }
        guard let hertz = Quantity.hertz(text), range.contains(hertz) else {
            throw usage(
                "--\(name) takes a frequency from \(Self.plain(range.lowerBound)) to \(Self.plain(range.upperBound)) Hz, as in 440 or "
                    + "442.5Hz, not \"\(shown(text))\"", of: name)
        }
        return hertz
    }

    /// Bits per second: 96000, 96k, 1.5M.
    package func bitRate(_ name: String) throws(Failure) -> Int? {
        guard let text = value(name) else { return nil }
        guard let rate = Quantity.read(text, Quantity.bitRates), (1...1e9).contains(rate) else {
            throw usage("--\(name) takes bits per second, as in 96000, 96k or 96kbps, not \"\(shown(text))\"", of: name)
        }
        return Int(rate.rounded())
    }

    /// A time in seconds: 90, 90s, 1.5min, 250ms, 1:30, 1:02:03.5.
    package func seconds(_ name: String, _ range: ClosedRange<Double>) throws(Failure) -> Double? {
        guard let text = value(name) else { return nil }
        guard let seconds = clock(text) ?? Quantity.read(text, Quantity.times), range.contains(seconds) else {
            throw usage(
                "--\(name) takes a time from \(Self.plain(range.lowerBound)) to \(Self.plain(range.upperBound)) s, as in 90, 10s, 250ms, "
                    + "2min, 1h or 1:30, not \"\(shown(text))\"", of: name)
        }
        return seconds
    }

    /// A time in milliseconds: 20, 20ms, 0.02s.
    package func milliseconds(_ name: String, _ range: ClosedRange<Double>) throws(Failure) -> Double? {
        guard let text = value(name) else { return nil }
        guard let time = Quantity.milliseconds(text), range.contains(time) else {
            throw usage(
                "--\(name) takes a time from \(Self.plain(range.lowerBound)) to \(Self.plain(range.upperBound)) ms, as in 20, 20ms or "
                    + "0.02s, not \"\(shown(text))\"", of: name)
        }
        return time
    }

    /// A number of frames: 64, 64frames, or the time that they last, as 2ms.
    ///
    /// - Parameter sampleRate: in hertz.
    package func frames(_ name: String, _ range: ClosedRange<Int>, sampleRate: Int) throws(Failure) -> Int? {
        guard let text = value(name) else { return nil }
        let count = Quantity.frames(text)
        let time = Quantity.read(text, Quantity.timesWithUnit).map { ($0 * Double(sampleRate) * 1e6).rounded() / 1e6 }
        guard let frames = count ?? time, frames == frames.rounded(), abs(frames) < 1e9, range.contains(Int(frames))
        else {
            throw usage(
                "--\(name) takes a whole number from \(range.lowerBound) to \(range.upperBound) frames, as in 64, 64frames or "
                    + "2ms, not \"\(shown(text))\"", of: name)
        }
        return Int(frames)
    }

    /// A level or gain: -3, -3dB.
    package func decibels(_ name: String, _ range: ClosedRange<Double>) throws(Failure) -> Double? {
        guard let text = value(name) else { return nil }
        guard let decibels = Quantity.decibels(text), range.contains(decibels) else {
            throw usage(
                "--\(name) takes decibels from \(Int(range.lowerBound)) to \(Int(range.upperBound)), as in -3 or -3dB, "
                    + "not \"\(shown(text))\"", of: name)
        }
        return decibels
    }

    /// A moment: the next time that clocks show 22:00 or 22:00:30, or after a time, as +90, +10min or +1:30:00. In
    /// nanoseconds since 1970.
    package func moment(_ name: String) throws(Failure) -> Int64? {
        guard let text = value(name) else { return nil }
        let now = WallClock.nanoseconds()
        if text.hasPrefix("+") {
            let rest = String(text.dropFirst())
            if let seconds = clock(rest) ?? Quantity.read(rest, Quantity.times), (0...1e8).contains(seconds) {
                return now + Int64(seconds * 1e9)
            }
        } else if let moment = LocalMoment(nextTimeOfDay: text, after: now) {
            return moment.nanoseconds
        }
        throw usage(
            "--\(name) takes a time of day, as in 22:00 or 22:00:30, or a time from now, as in +10min, not "
                + "\"\(shown(text))\"", of: name)
    }

    /// Minutes and seconds, or hours before them.
    package func clock(_ text: String) -> Double? {
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

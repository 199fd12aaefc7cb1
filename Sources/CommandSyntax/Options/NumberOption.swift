/// An option whose value is a number, with the range and the default that are declared here alone: the help tells them, and
/// `Arguments` reads by them.
package struct NumberOption<Number: Comparable & Sendable>: Sendable {
    package typealias Reader = @Sendable (Arguments, String, ClosedRange<Number>) throws(Failure) -> Number?

    /// For the help.
    package let option: Option
    let range: ClosedRange<Number>
    /// Where the option is not given.
    package let initial: Number
    let read: Reader

    /// - Parameters:
    ///   - help: what it does; where a range is shown it follows, and then the default in brackets.
    ///   - more: what is said behind that.
    fileprivate init(
        _ name: String, short: Character? = nil, _ value: String, _ range: ClosedRange<Number>, _ initial: Number,
        _ help: String, range words: String?, initial word: String, more: String, read: @escaping Reader
    ) {
        option = Option(name, short: short, value, "\(help)\(words.map { ", \($0)" } ?? "") (\(word))\(more)")
        (self.range, self.initial, self.read) = (range, initial, read)
    }
}

extension NumberOption<Int> {
    /// A whole number.
    package static func integer(
        _ name: String, short: Character? = nil, placeholder: String = "N", _ range: ClosedRange<Int>, initial: Int,
        _ help: String, more: String = ""
    ) -> Self {
        Self(
            name, short: short, placeholder, range, initial, help, range: "\(range.lowerBound) to \(range.upperBound)",
            initial: "\(initial)", more: more
        ) { arguments, name, range throws(Failure) in try arguments.integer(name, range) }
    }
}

extension NumberOption<Double> {
    /// A time in seconds, whose range is wide and not shown.
    package static func seconds(
        _ name: String, _ range: ClosedRange<Double>, initial: Double, _ help: String, more: String = ""
    ) -> Self {
        Self(
            name, "TIME", range, initial, help, range: nil, initial: "\(Arguments.plain(initial))s", more: more
        ) { arguments, name, range throws(Failure) in try arguments.seconds(name, range) }
    }

    /// A frequency in hertz.
    package static func pitch(
        _ name: String, _ range: ClosedRange<Double>, initial: Double, _ help: String
    ) -> Self {
        Self(name, "HZ", range, initial, help, range: words(range), initial: Arguments.plain(initial), more: "") {
            arguments, name, range throws(Failure) in try arguments.pitch(name, range)
        }
    }

    /// A level or gain in decibels.
    package static func decibels(
        _ name: String, _ range: ClosedRange<Double>, initial: Double, _ help: String
    ) -> Self {
        Self(name, "DB", range, initial, help, range: words(range), initial: Arguments.plain(initial), more: "") {
            arguments, name, range throws(Failure) in try arguments.decibels(name, range)
        }
    }

    private static func words(_ range: ClosedRange<Double>) -> String {
        "\(Arguments.plain(range.lowerBound)) to \(Arguments.plain(range.upperBound))"
    }
}

extension Arguments {
    /// What an option is given as, or its default.
    package func value<Number>(of number: NumberOption<Number>) throws(Failure) -> Number {
        try number.read(self, number.option.name, number.range) ?? number.initial
    }
}

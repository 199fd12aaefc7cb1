import AudioDSP
import AudioFigures
import AudioReports

/// An option with the type of its value. Its range or words, and its default, are declared here alone: the help tells them, and
/// `Arguments` reads by them.
///
/// ```swift
/// static let buffers = TypedOption<Int>.number("queue-buffers", .integer, 2...16, initial: 3, "buffers of each queue")
/// static let length = TypedOption<Double?>.number("seconds", .seconds, 0.01...1e9, "end after this time")
/// ```
package struct TypedOption<Value: Sendable>: Sendable {
    typealias Reader = @Sendable (Arguments) throws(Failure) -> Value

    /// For the help.
    package private(set) var option: Option
    fileprivate let read: Reader

    /// - Parameter read: the value, or the default where the option is not given.
    init(_ option: Option, read: @escaping Reader) { (self.option, self.read) = (option, read) }

    /// Of a value in a form of its own.
    ///
    /// - Parameter read: what a word stands for, or the default where there is none. Of an option that is given twice it
    ///   gets the last.
    package init(
        _ option: Option, _ read: @escaping @Sendable (_ word: String?, Arguments) throws(Failure) -> Value
    ) {
        let name = option.name
        self.init(option) { arguments throws(Failure) in try read(arguments.value(name), arguments) }
    }

    /// The same of one that may be repeated.
    package static func repeated(
        _ option: Option, _ read: @escaping @Sendable (_ words: [String], Arguments) throws(Failure) -> Value
    ) -> Self {
        let name = option.name
        return Self(option) { arguments throws(Failure) in try read(arguments.values(name), arguments) }
    }

    /// The same with what the option has to do with others, and where it is kept.
    package func with(_ change: (Option) -> Option) -> Self {
        var other = self
        other.option = change(option)
        return other
    }
}

extension Arguments {
    /// What an option is given as, or its default.
    package func value<Value>(of option: TypedOption<Value>) throws(Failure) -> Value { try option.read(self) }

    /// What an option is given as; `nil` where it is not given.
    package func given<Value>(_ option: TypedOption<Value>) throws(Failure) -> Value? {
        has(option.option.name) ? try option.read(self) : nil
    }
}

/// How a number is written: what the help and complaints say of it, and how it is read.
package struct NumberForm<Number: Comparable & Sendable>: Sendable {
    /// Stands for the value in the help.
    let placeholder: String
    /// Whether the help has the range, where nothing else is said.
    var tellsRange = true
    /// What follows a default.
    var unit = ""
    let word: @Sendable (Number) -> String
    /// What an option of that range takes, for complaints.
    let expected: @Sendable (ClosedRange<Number>) -> String
    let parse: @Sendable (String) -> Number?
}

extension NumberForm<Int> {
    package static var integer: Self {
        Self(
            placeholder: "N", word: { "\($0)" },
            expected: { "a whole number from \($0.lowerBound) to \($0.upperBound)" }, parse: { Int($0) })
    }

    /// A rate in hertz: 48000, 48k, 44.1kHz.
    package static var hertz: Self {
        Self(
            placeholder: "HZ", tellsRange: false, word: { "\($0)" },
            expected: { "a rate from \($0.lowerBound) to \($0.upperBound) Hz, as in 48000, 44.1k or 48kHz" },
            parse: { Quantity.hertz($0).flatMap { Int(exactly: $0) } })
    }
}

extension NumberForm<Double> {
    /// A number without a unit.
    package static var number: Self {
        Self(
            placeholder: "N", word: shortest, expected: { "a number from \($0.words)" },
            parse: { Double(decimal: $0) })
    }

    /// A time in seconds, whose range is wide: 90, 90s, 1.5min, 250ms, 1:30, 1:02:03.5.
    package static var seconds: Self {
        Self(
            placeholder: "TIME", tellsRange: false, unit: "s", word: shortest,
            expected: { "a time from \($0.words) s, as in 90, 10s, 250ms, 2min, 1h or 1:30" }, parse: Quantity.seconds)
    }

    /// A time in milliseconds: 20, 20ms, 0.02s.
    package static var milliseconds: Self {
        Self(
            placeholder: "TIME", word: shortest,
            expected: { "a time from \($0.words) ms, as in 20, 20ms or 0.02s" }, parse: Quantity.milliseconds)
    }

    /// A frequency in hertz: 442, 442.5Hz.
    package static var pitch: Self {
        Self(
            placeholder: "HZ", word: shortest,
            expected: { "a frequency from \($0.words) Hz, as in 440 or 442.5Hz" }, parse: Quantity.hertz)
    }

    /// A level or gain in decibels: -3, -3dB.
    package static var decibels: Self {
        Self(
            placeholder: "DB", word: shortest,
            expected: { "decibels from \(Int($0.lowerBound)) to \(Int($0.upperBound)), as in -3 or -3dB" },
            parse: Quantity.decibels)
    }

    /// Of a parameter.
    static func of(unit: String) -> Self {
        switch unit {
        case "dB": .decibels
        case "Hz": .pitch
        case "ms": .milliseconds
        default: .number
        }
    }
}

extension TypedOption {
    /// A number that has a default.
    ///
    /// - Parameters:
    ///   - placeholder: stands for its value; `nil` for the form's.
    ///   - help: what it does; behind that stand the range, and the default in brackets.
    ///   - tellsRange: `nil` for what is usual of the form.
    ///   - more: what is said behind that.
    package static func number(
        _ name: String, short: Character? = nil, placeholder: String? = nil, _ form: NumberForm<Value>,
        _ range: ClosedRange<Value>, initial: Value, _ help: String, tellsRange: Bool? = nil, more: String = ""
    ) -> Self where Value: Comparable {
        let open = TypedOption<Value?>.number(
            name, short: short, placeholder: placeholder, form, range, usual: form.word(initial) + form.unit, help,
            tellsRange: tellsRange, more: more)
        return Self(open.option) { arguments throws(Failure) in try open.read(arguments) ?? initial }
    }

    /// A number that may be left open.
    ///
    /// - Parameter usual: what holds then, in words; `nil` for nothing.
    package static func number<Number>(
        _ name: String, short: Character? = nil, placeholder: String? = nil, _ form: NumberForm<Number>,
        _ range: ClosedRange<Number>, usual: String? = nil, _ help: String, tellsRange: Bool? = nil, more: String = ""
    ) -> Self where Value == Number? {
        let told =
            tellsRange ?? form.tellsRange ? ", \(form.word(range.lowerBound)) to \(form.word(range.upperBound))" : ""
        let text = "\(help)\(told)\(usual.map { " (\($0))" } ?? "")\(more)"
        return Self(Option(name, short: short, placeholder ?? form.placeholder, text)) { arguments throws(Failure) in
            try arguments.number(name, form, range)
        }
    }

    /// A number in whose place a word may stand, which is as good as leaving the option out.
    ///
    /// - Parameter help: with all that is to be said of the number.
    package static func number<Number>(
        _ name: String, placeholder: String, _ form: NumberForm<Number>, _ range: ClosedRange<Number>,
        orWord word: String, _ help: String
    ) -> Self where Value == Number? {
        Self(Option(name, placeholder, help)) { arguments throws(Failure) in
            arguments.value(name) == word ? nil : try arguments.number(name, form, range)
        }
    }

    /// An option that may stand without its number.
    ///
    /// - Parameters:
    ///   - initial: what the number is then.
    ///   - help: with all that is to be said of the number.
    package static func optionalNumber<Number>(
        _ name: String, _ form: NumberForm<Number>, _ range: ClosedRange<Number>, initial: Number, _ help: String
    ) -> Self where Value == Number? {
        Self(Option(name, optional: form.placeholder, help)) { arguments throws(Failure) in
            arguments.value(name) == "" ? initial : try arguments.number(name, form, range)
        }
    }

    /// One of a few values, each of which has a word.
    ///
    /// - Parameters:
    ///   - word: of a value.
    ///   - usual: what stands in brackets; `nil` for the word of the default.
    ///   - isListed: whether the words follow the help; else it has them itself.
    package static func choice(
        _ name: String, _ placeholder: String, _ choices: [Value], _ word: @escaping @Sendable (Value) -> String,
        initial: Value, usual: String? = nil, _ help: String = "", isListed: Bool = false, more: String = ""
    ) -> Self {
        let open = TypedOption<Value?>.choice(
            name, placeholder, choices, word, usual: usual ?? word(initial), help, isListed: isListed, more: more)
        return Self(open.option) { arguments throws(Failure) in try open.read(arguments) ?? initial }
    }

    /// The same where nothing may be chosen.
    package static func choice<Choice>(
        _ name: String, _ placeholder: String, _ choices: [Choice], _ word: @escaping @Sendable (Choice) -> String,
        usual: String? = nil, _ help: String = "", isListed: Bool = false, more: String = ""
    ) -> Self where Value == Choice?, Choice: Sendable {
        let option = Option(
            name, placeholder, choices.map(word), usual: usual, help, isListed: isListed, more: more)
        return Self(option) { arguments throws(Failure) in
            let given = try arguments.choice(name)
            return choices.first { word($0) == given }
        }
    }
}

extension TypedOption where Value == [Limit] {
    /// Limits that figures are held against; may be repeated.
    package static func limits(of subject: Limit.Subject, _ help: String) -> Self {
        .repeated(Option("limit", "NAME=VALUE", help).offering(subject.keys)) { words, _ throws(Failure) in
            try words.map { text throws(Failure) in
                do throws(Limit.Malformed) {
                    return try Limit(text, of: subject)
                } catch {
                    throw error.failure(of: "limit", subject)
                }
            }
        }
    }
}

extension Option {
    /// An option that takes one of a few words.
    ///
    /// - Parameter usual: what holds where it is not given, in words; `nil` for nothing.
    package init(
        _ name: String, _ placeholder: String, _ words: [String], usual: String?, _ help: String = "",
        isListed: Bool = true, more: String = ""
    ) {
        let list = isListed ? (help.isEmpty ? "" : ": ") + words.listed("or") : ""
        self.init(name, placeholder, "\(help)\(list)\(usual.map { " (\($0))" } ?? "")\(more)", of: words)
    }
}

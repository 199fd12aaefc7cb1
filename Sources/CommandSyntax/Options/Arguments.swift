import AudioFigures
import AudioReports

/// The words behind a subcommand, read by its syntax: `--x Y`, `--x=Y`, and `-x Y` or `-xY` where there is a short form. Of an option that is given twice the
/// last counts, but for those that are asked for as a list.
package struct Arguments {
    let syntax: Syntax
    /// All options, in the order of the words; of a flag the value is empty.
    package private(set) var all: [(name: String, value: String)] = []
    /// What was named without an option, in a subcommand that takes that. Behind `--` everything is.
    package private(set) var operands: [String] = []

    /// - Parameter isWhole: whether nothing comes to the words from elsewhere, so that what options need must be there.
    package init(_ words: [String], _ syntax: Syntax, isWhole: Bool = true) throws(Failure) {
        self.syntax = syntax
        var rest = words[...]
        while let word = rest.popFirst() {
            if word == "--" {
                operands += rest
                break
            }
            if word == "-" || !word.hasPrefix("-") {
                operands.append(word)
                continue
            }
            guard let (option, attached) = syntax.parts(of: word) else {
                let form = String(word.prefix { $0 != "=" })
                let near = suggestion(for: String(form.drop { $0 == "-" }))
                throw usage("there is no option \(shown(form)); \(near)")
            }
            let name = option.name
            if let placeholder = option.value {
                if let attached {
                    all.append((name, attached))
                } else if option.isValueOptional {
                    // A level has a sign, or is 0. Another word without one is an operand, where there are operands.
                    let isLevel = placeholder == "DB"
                    let isValue = rest.first.map { word in
                        word.first == "-"
                            ? word.dropFirst().first?.isNumber == true
                            : syntax.operands == nil || isLevel && Quantity.decibels(word) == 0
                    }
                    all.append((name, isValue == true ? rest.removeFirst() : ""))
                } else if let next = rest.first, !next.hasPrefix("--"), !syntax.isShort(next) {
                    all.append((name, next))
                    rest.removeFirst()
                } else {
                    throw usage("--\(name) needs a value, as in --\(name) \(placeholder); \(hint)", of: name)
                }
            } else {
                guard attached == nil else { throw usage("--\(name) takes no value; \(hint)", of: name) }
                all.append((name, ""))
            }
        }
        if syntax.operands == nil, let operand = operands.first {
            throw usage("\(syntax.name) takes no argument: leave out \"\(shown(operand))\"; \(hint)")
        }
        if isWhole { try syntax.check(self) }
    }

    /// The options that say more than that something is left out.
    var present: Set<String> { Self.present(all) }

    static func present(_ given: [(name: String, value: String)]) -> Set<String> {
        let last = Dictionary(given.map { ($0.name, $0.value) }, uniquingKeysWith: { $1 })
        return Set(last.filter { !Option.idleValues.contains($0.value) }.keys)
    }

    // Only this module looks for options by name. Other modules read them by their declarations, except the files that
    // `requireFilesApart` compares and those of `OutputOptions`.
    func has(_ name: String) -> Bool { all.contains { $0.name == name } }
    func value(_ name: String) -> String? { all.last { $0.name == name }?.value }
    func values(_ name: String) -> [String] { all.filter { $0.name == name }.map(\.value) }

    /// Whether there is such an option, given or not.
    package func knows(_ option: Option) -> Bool { syntax.option(option.name) != nil }

    /// Whether it is given.
    package func has(_ option: Option) -> Bool { has(option.name) }
    package func has<Value>(_ option: TypedOption<Value>) -> Bool { has(option.option.name) }

    /// The word that it is given as, the last one; empty of a flag, and of a value that is left out.
    package func word(of option: Option) -> String? { value(option.name) }

    /// The words of one that may be repeated.
    package func words(of option: Option) -> [String] { values(option.name) }

    /// What the text of an option stands for; `nil` where the option was not given.
    ///
    /// - Parameters:
    ///   - expected: what the option takes, for the complaint.
    ///   - parse: `nil` for what is none of that.
    func value<Value>(
        _ name: String, taking expected: String, _ parse: (String) -> Value?
    ) throws(Failure) -> Value? {
        guard let text = value(name) else { return nil }
        if let value = parse(text) { return value }
        throw usage("--\(name) takes \(expected), not \"\(shown(text))\"", of: name)
    }

    /// A number within a range, or `nil` where the option was not given.
    func number<Number>(
        _ name: String, _ form: NumberForm<Number>, _ range: ClosedRange<Number>
    ) throws(Failure) -> Number? {
        try value(name, taking: form.expected(range)) { form.parse($0).flatMap { range.contains($0) ? $0 : nil } }
    }

    /// One of the words that the syntax permits, or `nil` where the option was not given.
    func choice(_ name: String) throws(Failure) -> String? {
        guard let text = value(name) else { return nil }
        let words = syntax.option(name)?.choices ?? []
        guard words.contains(text) else {
            let near = didYouMean(text, among: words).map { "; \($0)" } ?? ""
            throw usage("--\(name) takes \(words.joined(separator: ", ")), not \"\(shown(text))\"\(near)", of: name)
        }
        return text
    }

    /// The first operand of a subcommand that has verbs, or the usual one.
    package func verb(usual: String) throws(Failure) -> String {
        let verb = operands.first ?? usual
        guard syntax.verbs.contains(verb) else {
            let near = didYouMean(verb, among: syntax.verbs) ?? hint
            throw usage("\(syntax.name) can \(syntax.verbs.listed("and")), not \"\(shown(verb))\"; \(near)")
        }
        return verb
    }

    /// Complains where values do not go together.
    package func require(_ isFine: Bool, _ message: String, of options: String...) throws(Failure) {
        if !isFine { throw Failure(.usage, message, options: options) }
    }

    /// Complains of an option that means nothing here.
    ///
    /// - Parameter reason: follows its name, as in "is for files".
    package func permit(_ option: Option, if isFine: Bool, _ reason: String) throws(Failure) {
        try require(isFine || !has(option), "--\(option.name) \(reason)", of: option.name)
    }

    package func usage(_ message: String, of options: String...) -> Failure {
        Failure(.usage, message, options: options)
    }

    private var hint: String { "see iounit \(syntax.name) --help" }

    private func suggestion(for name: String) -> String {
        let names = syntax.options.map(\.name)
        guard let near = Synonyms.option(name, among: names) ?? nearest(to: name, among: names) else { return hint }
        return "did you mean --\(near)?"
    }
}

extension Limit.Malformed {
    /// The failure of an option that takes a limit, or something like one.
    package func failure(of option: String, _ subject: Limit.Subject) -> Failure {
        let help = didYouMean(unknownName, among: subject.names + subject.shortNames) ?? "see iounit help figures"
        return Failure(.usage, "--\(option): \(shown(description)); \(help)", of: option)
    }
}

/// The question behind a complaint about a word that is none of these; `nil` where none of them is near, and for a number,
/// which is seldom a typing error.
package func didYouMean(_ word: String?, among words: [String]) -> String? {
    guard let word, word.contains(where: \.isLetter) else { return nil }
    return nearest(to: word, among: words).map { "did you mean \(shown($0))?" }
}

/// The word that is fewest typing errors away, if it is near enough to be meant.
package func nearest(to word: String, among words: [String]) -> String? {
    // One that is more than twice as long is near to none, and its errors, as of a datagram from anywhere, take long to count.
    let length = word.count
    let scored = words.filter { length <= 2 * $0.count + 1 }.map { (word: $0, distance: distance(word, $0)) }
    let best = scored.min { $0.distance < $1.distance }
    if let best, best.distance <= max(1, length / 2) { return best.word }
    return words.first { $0.hasPrefix(word) && !word.isEmpty }
}

/// How many letters must be inserted, removed, replaced or swapped with their neighbour (Damerau and Levenshtein).
private func distance(_ left: String, _ right: String) -> Int {
    let a = Array(left)
    let b = Array(right)
    var rows = [Array(0...b.count)]
    for i in 0..<a.count {
        var row = [i + 1]
        for j in 0..<b.count {
            var best = min(rows[i][j + 1] + 1, row[j] + 1, rows[i][j] + (a[i] == b[j] ? 0 : 1))
            if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] { best = min(best, rows[i - 1][j - 1] + 1) }
            row.append(best)
        }
        rows.append(row)
    }
    return rows[a.count][b.count]
}

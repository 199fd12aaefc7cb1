import Glibc

/// How the channels that go out are made of those that come in, in words: an entry for each of them, with commas between.
///
/// An entry is `0` for silence, or a sum of channels, counted from 1, each with a factor where it is not 1: `2,1` swaps two
/// channels, `1,1` doubles one, `1+2` is the sum of two, `0.5*1+0.5*2` their mean and `1-2` their difference.
public struct ChannelMap: Sendable, Equatable {
    /// Of a channel that comes in, counted from 0.
    private struct Term: Sendable, Equatable {
        var channel: Int
        var factor: Double
    }

    /// What is wrong with a text.
    public struct Malformed: Error, Sendable, Equatable, CustomStringConvertible {
        public var description: String
    }

    private static let mostChannels = 1024
    private let rows: [[Term]]

    /// How many channels go out.
    public var outputs: Int { rows.count }

    /// The highest channel that must come in, counted from 1.
    public var highestInput: Int { rows.joined().map { $0.channel + 1 }.max() ?? 0 }

    /// - Throws: what is wrong with the text.
    public init(_ text: String) throws(Malformed) {
        let entries = text.split(separator: ",", omittingEmptySubsequences: false)
        guard entries.count <= Self.mostChannels else {
            throw Malformed(description: "it has more than \(Self.mostChannels) entries")
        }
        var rows: [[Term]] = []
        for entry in entries { rows.append(try Self.row(entry)) }
        self.rows = rows
    }

    /// For so many channels that come in.
    ///
    /// - Throws: `unsupportedChannels` where there are fewer than it names.
    public func matrix(inputs: Int) throws(ConversionError) -> ChannelMatrix {
        guard highestInput <= inputs else {
            throw ConversionError(
                .unsupportedChannels,
                "the map takes channel \(highestInput), and the last is \(inputs); name channels up to that")
        }
        var weights = rows.map { _ in [Double](repeating: 0, count: max(1, inputs)) }
        for (output, row) in rows.enumerated() {
            for term in row { weights[output][term.channel] += term.factor }
        }
        return try ChannelMatrix(weights: weights)
    }

    private static func row(_ entry: Substring) throws(Malformed) -> [Term] {
        let text = entry.filter { $0 != " " }
        if text == "0" { return [] }
        var terms: [Term] = []
        var rest = text[...]
        while !rest.isEmpty || terms.isEmpty {
            var sign = 1.0
            if let first = rest.first, first == "-" || (first == "+" && !terms.isEmpty) {
                sign = first == "-" ? -1 : 1
                rest = rest.dropFirst()
            }
            let word = rest.prefix { $0 != "+" && $0 != "-" }
            rest = rest.dropFirst(word.count)
            guard let term = Self.term(word, sign) else {
                throw Malformed(
                    description: "\"\(entry)\" is no sum of channels: write 1, 1+2, 0.5*1+0.5*2, or 0 for silence")
            }
            terms.append(term)
        }
        return terms
    }

    private static func term(_ word: Substring, _ sign: Double) -> Term? {
        let parts = word.split(separator: "*", omittingEmptySubsequences: false)
        guard (1...2).contains(parts.count), let last = parts.last, let channel = Int(last), last.first != "+",
            (1...mostChannels).contains(channel)
        else { return nil }
        let isPlain = parts[0].allSatisfy { $0.isASCII && ($0.isNumber || $0 == ".") }
        guard parts.count == 2 else { return Term(channel: channel - 1, factor: sign) }
        guard isPlain, let factor = Double(parts[0]), factor <= 1000 else { return nil }
        return Term(channel: channel - 1, factor: sign * factor)
    }
}

import AudioReports
import Foundation

@testable import CommandSyntax

func text(_ bytes: some Sequence<UInt8>) -> String { String(decoding: Array(bytes), as: UTF8.self) }

/// What a terminal or an editor obeys rather than shows: stated again rather than asked of `shown`.
func isObeyed(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0..<0x20, 0x7f..<0xa0, 0xad, 0x61c, 0x200b...0x200f, 0x2028...0x202e, 0x2060...0x206f, 0xfeff: true
    default: false
    }
}

/// Nothing of a text is obeyed, but for the breaks between its lines where there may be some.
func requireHarmless(_ text: String, lines: Bool = false, _ what: String) {
    require(
        !text.unicodeScalars.contains { isObeyed($0) && !(lines && $0 == "\n") }, "\(what): \(text.debugDescription)")
}

/// What the command says of an error is one line, and not of endless length beside what was given.
func requireSentence(_ error: any Error, about input: [UInt8]) {
    let failure = Failure.from(error)
    let said = shown(failure.message)
    requireHarmless(said, "an error")
    require(!said.isEmpty && failure.code != .done, "an error says nothing")
    require(said.utf8.count < 1000 + 40 * input.count, "an error of \(said.utf8.count) bytes")
}

/// Markup in which nothing from outside is any.
func requireWellFormed(_ markup: String, _ what: String) {
    requireHarmless(markup, lines: true, what)
    let parser = XMLWatch(markup)
    require(parser.isWellFormed, "\(what) is not well-formed: \(markup)")
}

/// Whether tags and attributes of a text come to their ends, and no element comes from outside.
private struct XMLWatch {
    let isWellFormed: Bool
    private static let foreign = ["<script>alert", "<img src=x"]

    init(_ markup: String) {
        var isInTag = false
        var quote: UInt8?
        for byte in markup.utf8 {
            switch byte {
            case UInt8(ascii: "<") where quote == nil:
                guard !isInTag else {
                    isWellFormed = false
                    return
                }
                isInTag = true
            case UInt8(ascii: ">") where quote == nil: isInTag = false
            case UInt8(ascii: "\"") where isInTag: quote = quote == nil ? byte : nil
            default: break
            }
        }
        isWellFormed = !isInTag && quote == nil && !Self.foreign.contains { markup.contains($0) }
    }
}

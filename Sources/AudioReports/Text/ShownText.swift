/// A text with what would be obeyed rather than seen made visible: control and formatting characters, as `\u{1b}`.
package func shown(_ text: String) -> String {
    respelled(text) { isObeyed($0) ? "\\u{\(String($0.value, radix: 16))}" : nil }
}

/// A sentence of at most 2000 characters: the middle of a longer one is replaced by an ellipsis. Values from outside that it quotes may
/// have any length.
package func withoutMiddle(_ sentence: String) -> String {
    let scalars = sentence.unicodeScalars
    guard scalars.count > 2000 else { return sentence }
    return String(scalars.prefix(1500)) + " … " + String(scalars.suffix(400))
}

/// JSON with the same made visible as JSON does: `\u001b`. It stands in strings alone, so that the content is the same.
package func shownJSON(_ text: String) -> String {
    // Most texts have no other characters than these, and to ask Unicode of each takes longer than to encode it.
    guard !text.utf8.allSatisfy({ (32...126).contains($0) }) else { return text }
    return respelled(text) { scalar in
        guard scalar.value >= 32 && isObeyed(scalar) else { return nil }
        return String(scalar).utf16.map { "\\u" + zeroPadded($0, 4, radix: 16) }.joined()
    }
}

/// A text for HTML, SVG and XML, as content and within quotes: nothing in it is markup.
package func escaped(_ text: String) -> String {
    respelled(shown(text)) { scalar in
        switch scalar {
        case "&": "&amp;"
        case "<": "&lt;"
        case ">": "&gt;"
        case "\"": "&quot;"
        case "'": "&#39;"
        default: nil
        }
    }
}

/// A text with another spelling of what has one. Not by what people see as one character: a sign is markup with a combining
/// mark behind it too.
func respelled(_ text: String, _ spelling: (Unicode.Scalar) -> String?) -> String {
    text.unicodeScalars.reduce(into: "") { $0 += spelling($1) ?? String($1) }
}

/// Whether a terminal would do something with it in place of showing it. Unassigned ones are among them because XML permits no
/// noncharacters.
package func isObeyed(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned: true
    default: false
    }
}

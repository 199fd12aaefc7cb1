/// A text with what would be obeyed rather than seen made visible: control and formatting characters, as `\u{1b}`.
package func shown(_ text: String) -> String {
    var visible = ""
    for scalar in text.unicodeScalars {
        if isObeyed(scalar) {
            visible += "\\u{\(String(scalar.value, radix: 16))}"
        } else {
            visible.unicodeScalars.append(scalar)
        }
    }
    return visible
}

/// JSON with the same made visible as JSON does: `\u001b`. It stands in strings alone, so that the content is the same.
package func shownJSON(_ text: String) -> String {
    var visible = ""
    for scalar in text.unicodeScalars {
        if scalar.value >= 32 && isObeyed(scalar) {
            for unit in String(scalar).utf16 { visible += "\\u" + zeroPadded(unit, 4, radix: 16) }
        } else {
            visible.unicodeScalars.append(scalar)
        }
    }
    return visible
}

/// A text for HTML, SVG and XML, as content and within quotes: nothing in it is markup.
package func escaped(_ text: String) -> String {
    var safe = ""
    for scalar in shown(text).unicodeScalars {
        switch scalar {
        case "&": safe += "&amp;"
        case "<": safe += "&lt;"
        case ">": safe += "&gt;"
        case "\"": safe += "&quot;"
        case "'": safe += "&#39;"
        default: safe.unicodeScalars.append(scalar)
        }
    }
    return safe
}

/// Unassigned ones are among them because XML permits no noncharacters.
private func isObeyed(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned: true
    default: false
    }
}

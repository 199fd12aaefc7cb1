import AudioReports
import FoundationEssentials

/// What the text says of such a value; `nil` where it says something else.
package func decodeJSON<Value: Decodable>(_ text: String?) -> Value? {
    text.flatMap { decodeJSON(Array($0.utf8)) }
}

/// The same of bytes, which may be no text.
package func decodeJSON<Value: Decodable>(_ bytes: [UInt8]) -> Value? {
    try? JSONDecoder().decode(Value.self, from: Data(bytes))
}

/// One object on one line, the same for the same content. A terminal obeys nothing in it.
package func encodeJSON(_ value: some Encodable) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return shownJSON(String(decoding: try encoder.encode(value), as: UTF8.self))
}

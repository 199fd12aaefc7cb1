import Foundation
import Jack

/// What a report says of the server. What JACK does not tell of a server that is not ours is `null`.
struct ServerFacts: Encodable, Sendable {
    var name: String
    var backend: Nullable<String>
    var sampleRate: Int
    var periodFrames: Int
    var sync: Nullable<Bool>
    var realtime: Bool

    init(_ client: borrowing Client, server: String?, configuration: ServerConfiguration? = nil) {
        name = server ?? ProcessInfo.processInfo.environment["JACK_DEFAULT_SERVER"] ?? "default"
        backend = Nullable(configuration == nil ? nil : "dummy")
        sampleRate = client.sampleRate
        periodFrames = client.periodFrames
        sync = Nullable(configuration?.isSync)
        realtime = client.isRealtime
    }
}

/// A value that is written as `null` where there is none, and not left out.
struct Nullable<Value: Encodable & Sendable>: Encodable, Sendable {
    var value: Value?
    init(_ value: Value?) { self.value = value }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        if let value { try container.encode(value) } else { try container.encodeNil() }
    }
}

/// One object on one line, the same for the same content.
func encodeJSON(_ value: some Encodable) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return String(decoding: try encoder.encode(value), as: UTF8.self)
}

import Glibc

/// A secret word that a listener has to know. It is compared in a time that tells nothing of it, and printed by nothing.
public struct AccessToken: Sendable, CustomStringConvertible, CustomDebugStringConvertible {
    private let bytes: [UInt8]

    /// What a token may have: letters, digits and `-._~`, 8 to 256 of them, so that it fits into a URL and a header.
    public static let range = 8...256

    /// - Throws: `unsupported` for one that is too short or too long, or has another character.
    public init(_ text: String) throws(StreamError) {
        let bytes = Array(text.utf8)
        guard bytes.allSatisfy(PercentEncoding.unreserved.contains), Self.range.contains(bytes.count) else {
            throw StreamError(
                .unsupported, "take the token", "a token has 8 to 256 letters, digits and -._~, and nothing else")
        }
        self.bytes = bytes
    }

    /// One that was read from a file or the environment.
    ///
    /// - Throws: as above.
    public init(_ secret: Secret) throws(StreamError) { try self.init(secret.text) }

    /// A new one, of 128 random bits from the kernel.
    public init() {
        var generator = SystemRandomNumberGenerator()
        let letters = Array("abcdefghijklmnopqrstuvwxyz234567".utf8)
        bytes = (0..<26).map { _ in letters[Int(generator.next() & 31)] }
    }

    /// Whether a text is the token. The time that it takes depends on the text's length alone.
    public func matches(_ text: String) -> Bool {
        let other = Array(text.utf8.prefix(2 * Self.range.upperBound))
        var difference = other.count ^ bytes.count
        for index in other.indices { difference |= Int(other[index] ^ bytes[index % bytes.count]) }
        return difference == 0
    }

    /// The word itself, to be shown to the one who has started the server.
    public var revealed: String { String(decoding: bytes, as: UTF8.self) }

    /// Not the word itself.
    public var description: String { "(token)" }
    /// Not the word itself.
    public var debugDescription: String { description }
}

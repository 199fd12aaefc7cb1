/// A token or password. It goes to the server that it is for, and is printed nowhere: not by `print`, `dump` or an error.
public struct Secret: Sendable, Hashable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// For the server alone.
    let text: String

    /// - Throws: `unsupported` for one that is empty, longer than 1024 bytes, or has control characters or others than ASCII:
    ///   it would end the line of the request in which it stands.
    public init(_ text: String) throws(StreamError) {
        guard (1...1024).contains(text.utf8.count), text.utf8.allSatisfy({ (0x21...0x7e).contains($0) }) else {
            throw StreamError(
                .unsupported, "use a token or password",
                "it has 1 to 1024 letters, digits and signs of ASCII on one line, without spaces")
        }
        self.text = text
    }

    /// Dots.
    public var description: String { "..." }
    /// Dots.
    public var debugDescription: String { "..." }
    /// Nothing.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

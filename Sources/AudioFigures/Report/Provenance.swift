/// When, where and by which call of which program a report was made.
public struct Provenance: Codable, Sendable, Equatable {
    /// When the program began, in UTC: `2026-11-23T07:58:01Z`.
    public var date: String
    /// Of the program: `0.1.0`.
    public var version: String
    /// The machine's name.
    public var host: String
    /// The command line as a shell takes it, without passwords.
    public var command: String

    /// Made of what the properties say.
    public init(date: String, version: String, host: String, command: String) {
        self.date = date
        self.version = version
        self.host = host
        self.command = command
    }
}

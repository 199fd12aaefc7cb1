/// A subcommand: what it understands, and how it is run.
struct Subcommand: Sendable {
    let syntax: Syntax
    /// Reads the words behind it; what it returns runs it.
    let read: @Sendable ([String]) throws -> () throws -> ExitCode

    init(_ syntax: Syntax, _ read: @escaping @Sendable ([String]) throws -> () throws -> ExitCode) {
        self.syntax = syntax
        self.read = read
    }
}

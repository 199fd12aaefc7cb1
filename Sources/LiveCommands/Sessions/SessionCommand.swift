import AudioReports
import CommandSyntax
import TerminalPages
import Threads

/// `iounit`, `iounit monitor` or `iounit serve` where NSM_URL names a session manager: a part of its session.
package struct SessionCommand {
    private let url: String
    private let words: [String]

    /// The subcommands that take part: those that run until they are ended, and whose settings can be had again.
    static let syntaxes = [MonitorOptions.syntax, MonitorOptions.serveSyntax]
    private static let patienceToAnswer = 3.0
    private static let patienceToOpen = 120.0

    /// - Parameter words: of the command line.
    /// - Returns: `nil` where no manager asks for it, or the words are of something else.
    init?(_ words: [String], environment: [String: String] = Environment.all) {
        guard let url = environment["NSM_URL"], !url.isEmpty else { return nil }
        // A session manager starts a program without any word.
        guard words.isEmpty || Self.syntaxes.contains(where: { $0.name == words[0] }) else { return nil }
        guard !words.contains("--help"), !words.contains("-h"), !words.contains("--offline") else { return nil }
        (self.url, self.words) = (url, words)
    }

    /// - Returns: `nil` where the words are of something else.
    package static func run(_ words: [String], _ settings: () throws -> SettingsFile?) throws -> ExitCode? {
        try SessionCommand(words)?.run(settings)
    }

    /// - Parameter settings: the user's.
    /// - Returns: `nil` where there is no session manager after all: the command goes on without.
    func run(_ settings: () throws -> SettingsFile?) throws -> ExitCode? {
        let manager: SessionManager
        do {
            manager = try SessionManager(url: url)
            try manager.announce(within: Self.patienceToAnswer)
        } catch {
            StandardError.complain("\(error.message); going on without a session")
            return nil
        }
        let project = try manager.waitForProject(within: Self.patienceToOpen)
        let session: ManagedSession
        let options: MonitorOptions
        let file = SavedSession(folder: project.path, syntaxes: Self.syntaxes)
        do {
            let saved = try file.load()
            let chosen = try SessionOptions(words, project, saved, settings)
            options = chosen.options
            session = ManagedSession(
                manager, project, file, subcommand: chosen.subcommand,
                given: file.absolute(chosen.given, of: chosen.subcommand))
            guard options.recording == nil || Folder.make(project.path) else {
                throw Failure(.cannotCreate, "cannot make the folder \(shown(project.path)): \(FileError.reason)")
            }
        } catch {
            let failure = Failure.from(error)
            manager.refuse(
                "/nsm/client/open", failure.code == .configuration ? .badProject : .general, failure.message)
            throw failure
        }
        return try MonitorCommand(options, session).run()
    }
}

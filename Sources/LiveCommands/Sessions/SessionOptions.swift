import AudioRecording
import AudioReports
import CommandSyntax
import LiveRuns
import PluginCommands
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
        do {
            return try options.run(session)
        } catch {
            session.refuse(Failure.from(error))
            throw error
        }
    }
}

/// What a run in a session is to be. What is on the command line wins over what was saved; where nothing was, over the user's
/// settings.
struct SessionOptions {
    let subcommand: String
    let options: MonitorOptions
    /// The options of which they are made, in the order of the words.
    let given: [(name: String, value: String)]

    /// - Parameters:
    ///   - words: of the command line; without any it is the subcommand that was saved, or `monitor`.
    ///   - saved: `nil` where nothing is saved yet.
    ///   - settings: the user's.
    /// - Throws: `usage`, `config`.
    init(
        _ words: [String], _ project: SessionManager.Project, _ saved: (file: SettingsFile, preset: Preset)?,
        _ settings: () throws -> SettingsFile?
    ) throws {
        let subcommand = words.first ?? saved?.preset.subcommand ?? MonitorOptions.syntax.name
        let servesPage = subcommand != MonitorOptions.syntax.name
        let syntax = servesPage ? MonitorOptions.serveSyntax : MonitorOptions.syntax
        var own = Array(words.dropFirst())
        var added: [String] = []
        // A session stands for itself: what is saved there is all that the run was.
        let restored = saved.flatMap { $0.preset.subcommand == subcommand ? $0 : nil }
        if let restored {
            guard !own.contains(where: { $0 == "--preset" || $0.hasPrefix("--preset=") }) else {
                throw Failure(
                    .usage,
                    "--preset cannot be used in a session that has been saved; leave it out, or remove "
                        + "\(shown(restored.file.path))", of: "preset")
            }
            // The user's settings have no say here; the mappings of MIDI have.
            if own.contains("--no-config") { added = ["--no-config"] }
            own.removeAll { $0 == "--no-config" }
        }
        let typed = try Arguments(Settings.negations(own, syntax).words, syntax, isWhole: false)
        let merged = try Settings(own, syntax) { try restored.map { $0.file.settings(of: $0.preset) } ?? settings() }
        do {
            var read = try MonitorOptions(
                merged.words + added, servesPage: servesPage, isRestored: restored != nil)
            read.unit.engine.clientName = project.clientName
            // What a run makes belongs to the session.
            if let path = read.recording?.path, !path.hasPrefix("/") {
                read.recording?.path = "\(project.path.replacing("{", with: "{{"))/\(path)"
            }
            // A session is saved with --force for its --sdp: that replaces no recording.
            if restored != nil, typed.has(SideRecording.record), !typed.replaces {
                read.recording?.settings.replaces = false
            }
            // Of plug-ins that are named on the command line nothing was saved.
            if restored != nil, !typed.has(PluginPath.option) {
                let states = SavedPluginStates(folder: project.path)
                read.unit.plugins.restore { states.load($0) }
            }
            options = read
        } catch {
            throw merged.blamed(Failure.from(error))
        }
        self.subcommand = subcommand
        given = try Arguments(merged.words, syntax).all
    }
}

import AudioDSP
import AudioRealtime
import AudioReports
import CommandSyntax
import Glibc
import LiveRuns
import PluginCommands
import TerminalPages
import Threads

/// The file of a session: a preset of `monitor` or `serve` in the folder that the session manager gave.
struct SavedSession {
    static let presetName = "session"

    let folder: String
    private let syntaxes: [Syntax]

    init(folder: String, syntaxes: [Syntax]) {
        self.folder = folder
        self.syntaxes = syntaxes
    }

    var path: String { "\(folder)/session" }

    /// - Returns: `nil` where nothing is saved yet.
    /// - Throws: `configuration` where it is no preset of these, with the line.
    func load() throws(Failure) -> (file: SettingsFile, preset: Preset)? {
        guard let text = try SettingsPlace(path: path).read() else { return nil }
        let file = try SettingsFile(text, path: path, syntaxes: syntaxes)
        guard let preset = file.preset(Self.presetName), syntaxes.contains(where: { $0.name == preset.subcommand })
        else { throw file.failure(1, "a session is [preset \(Self.presetName)] with command = monitor or serve") }
        return (file, preset)
    }

    /// - Parameters:
    ///   - states: of the plug-ins: see `SavedPluginStates`.
    ///   - kept: those of them that stay as they were saved before.
    /// - Throws: `cannotCreate`, `inputOutput`.
    func save(_ text: String, states: [String?] = [], keeping kept: Set<Int> = []) throws {
        try UserFile(path, of: "the session").replace(patienceSeconds: UserFile.livePatienceSeconds) {
            try SavedPluginStates(folder: folder).save(states, keeping: kept)
            return text
        }
    }

    /// What a run would be saved as.
    ///
    /// - Parameters:
    ///   - given: its options, in the order of the words.
    ///   - controls: how it stands.
    /// - Throws: `usage` where an option has a secret.
    func text(
        subcommand: String, given: [(name: String, value: String)], _ run: RunState
    ) throws(Failure) -> String {
        var settings: [(name: String, value: String)] = []
        let syntax = syntax(of: subcommand)
        let controlled = run.controlled(syntax)
        for (name, value) in given where !controlled.contains(name) {
            guard let option = syntax?.option(name), option.isOfSession else { continue }
            if let reason = Secrets.reason(option, value) { throw Failure(.usage, reason) }
            settings.append((name, value))
        }
        // The file of a stream's description is written again each time.
        if settings.contains(where: { $0.name == "sdp" }) { settings.append(("force", "")) }
        settings += run.options(syntax)
        let preset = Preset(name: Self.presetName, subcommand: subcommand, given: settings)
        let text = preset.lines(syntaxes).joined(separator: "\n") + "\n"
        let again = try? SettingsFile(text, path: path, syntaxes: syntaxes).preset(Self.presetName)
        guard preset.isSame(as: again) else {
            throw Failure(.usage, "an option has a line break or a control character, which no session can hold")
        }
        return text
    }

    /// Options with the names of files as they are from the root: a manager starts the program in another folder.
    ///
    /// - Parameter folder: in which the run began.
    func absolute(
        _ options: [(name: String, value: String)], of subcommand: String, in folder: String = Folder.current
    ) -> [(name: String, value: String)] {
        let syntax = syntax(of: subcommand)
        return options.map { name, value in (name, syntax?.option(name)?.absolute(value, in: folder) ?? value) }
    }

    private func syntax(of subcommand: String) -> Syntax? { syntaxes.first { $0.name == subcommand } }

    /// How a run stands, as far as options can say it.
    struct RunState {
        var setting = ShaperSetting()
        var bands: [EqualiserBand] = []
        var effects = Effects()
        /// As the values of `--plugin`.
        var plugins: [String] = []
        /// As the value of `--voice`.
        var voice = VoiceChoice.none
        /// The parameters of its parts, and what they are set to.
        var parameters: [(info: ParameterInfo, value: ParameterValue)] = []

        private typealias Word = (name: String, value: String)

        /// Options that the run's controls stand for, and what they would be.
        private static let parts: [(names: [String], words: @Sendable (RunState, Syntax?) -> [Word])] = [
            (ShaperSetting.fields.map(\.info.name), { $0.shaperWords($1) }),
            (
                [EqualiserOptions.bands.option.name],
                { run, _ in run.bands.map { (EqualiserOptions.bands.option.name, EqualiserOptions.word($0)) } }
            ),
            (Effects.options.map(\.name), { run, _ in run.effects.words }),
            ([PluginPath.option.name], { run, _ in run.plugins.map { (PluginPath.option.name, $0) } }),
            ([VoiceChoice.option.name], { run, _ in [(VoiceChoice.option.name, run.voice)] }),
        ]

        /// - Parameter syntax: of the subcommand, here and below. What it has no option for is of a moment, as a mute.
        fileprivate func controlled(_ syntax: Syntax?) -> Set<String> {
            Set(Self.parts.flatMap(\.names) + parameters.map(\.info.name).filter { Self.isParameter($0, syntax) })
        }

        fileprivate func options(_ syntax: Syntax?) -> [(name: String, value: String)] {
            Self.parts.flatMap { $0.words(self, syntax) }
                + parameters.compactMap { info, value in
                    Self.isParameter(info.name, syntax) ? Self.word(info, value, syntax) : nil
                }
        }

        /// Whether an option sets the parameter, and not something else of that name.
        private static func isParameter(_ name: String, _ syntax: Syntax?) -> Bool {
            syntax?.option(name)?.isOfParameter ?? false
        }

        private static func word(_ info: ParameterInfo, _ value: ParameterValue, _ syntax: Syntax?) -> Word? {
            guard let option = syntax?.option(info.name) else { return nil }
            switch value {
            case .flag(let isOn) where option.value == nil: return isOn ? (info.name, "") : nil
            case .action: return nil
            case let value: return (info.name, info.word(value))
            }
        }

        private func shaperWords(_ syntax: Syntax?) -> [Word] {
            ShaperSetting.fields.compactMap { field in
                // Without filters there is no phase of them.
                let hasFilters = setting.antialiasing.oversampling > 1
                guard hasFilters || field.info.name != ShaperSetting.phase.info.name else { return nil }
                return Self.word(field.info, field.value(in: setting), syntax)
            }
        }
    }
}

/// What the plug-ins of a session keep beside their parameters: a file of Turtle for each, beside the session's own.
struct SavedPluginStates {
    /// A state may hold samples or a text, and no more is read back.
    static let largestBytes = 4 << 20

    /// The session's.
    let folder: String

    /// - Parameter number: of the plug-in in the order of the path, from 1.
    func path(_ number: Int) -> String { "\(folder)/plugin-\(number).ttl" }

    /// Writes those that there are, and removes the files of plug-ins that keep nothing. A file of a place behind the last plug-in
    /// stays until a plug-in at that place is saved. Under the lock of the session's folder, where a draft is of a program that was
    /// killed.
    ///
    /// - Parameters:
    ///   - states: in the order of the path; `nil` for a plug-in that keeps nothing but its parameters.
    ///   - kept: places from 0 of those whose state could not be had: what was saved of them before stays.
    /// - Throws: `cannotCreate`, `inputOutput`.
    func save(_ states: [String?], keeping kept: Set<Int> = []) throws {
        for (index, state) in states.enumerated() where !kept.contains(index) {
            let path = path(index + 1)
            if let state {
                if state.utf8.count > Self.largestBytes {
                    StandardError.complain(
                        "\(shown(path)) is larger than \(Self.largestBytes >> 20) MiB and is not read back; save what the "
                            + "plug-in keeps by its own means")
                }
                let mark = UserFile.draftMark
                try OutputFile(path, replacing: true, permissions: 0o600, mark: mark).finish(with: state)
            } else if unsafe unlink(path) != 0, errno != ENOENT {
                throw Failure(.inputOutput, "cannot remove \(shown(path)), an old state: \(FileError.reason)")
            }
        }
    }

    /// The saved state of a plug-in; `nil` where there is none. Where there is one that cannot be used, a message says so.
    func load(_ number: Int) -> String? {
        let path = path(number)
        guard unsafe access(path, F_OK) == 0 else { return nil }
        guard let text = SmallFile.text(path, limit: Self.largestBytes + 1) else {
            StandardError.complain("cannot read \(shown(path)): \(FileError.reason); the plug-in begins without it")
            return nil
        }
        guard text.utf8.count <= Self.largestBytes else {
            StandardError.complain(
                "\(shown(path)) is larger than \(Self.largestBytes >> 20) MiB; the plug-in begins without it")
            return nil
        }
        return text
    }
}

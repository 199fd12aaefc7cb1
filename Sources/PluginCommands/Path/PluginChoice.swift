import AudioPlugins
import AudioReports
import CommandSyntax
import TerminalPages

/// An option `--plugin`: an LV2 plug-in in the path of the sound, as `--plugin fomp/autowah,preset=NAME,drive=3`.
package struct PluginChoice: Sendable {
    /// Its URI or short name.
    let name: String
    /// `nil` for how the plug-in is made.
    let preset: String?
    /// Symbols and values, as they were given.
    private let values: [(name: String, word: String)]
    /// What it kept beside its parameters in a session (`Plugin.savedState`); `nil` for nothing.
    var state: String?
    /// Whether it comes from a session, which must open again: at another rate a parameter may have another range.
    var isRestored = false
    /// As it was given.
    package let word: String
    /// Whether it has to be known as safe.
    var isStrict = false

    package init(_ word: String) throws(Failure) {
        let parts = word.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        guard let name = parts.first, !name.isEmpty else {
            throw Failure(
                .usage, "--plugin needs a plug-in, as in --plugin fomp/autowah; iounit plugin list shows them",
                of: "plugin")
        }
        var values: [(name: String, word: String)] = []
        var preset: String?
        for part in parts.dropFirst() {
            guard let place = part.firstIndex(of: "="), place > part.startIndex else {
                let remedy =
                    preset == nil
                    ? "" : "; a preset with a comma in its name is named by its URI, as iounit plugin info has it"
                throw Failure(
                    .usage, "--plugin \(shown(word)): \"\(shown(part))\" is not NAME=VALUE\(remedy)", of: "plugin")
            }
            let value = String(part[part.index(after: place)...])
            if part[..<place] == "preset" { preset = value } else { values.append((String(part[..<place]), value)) }
        }
        (self.name, self.preset, self.values, self.word) = (name, preset, values, word)
    }

    /// Loads it, and sets what was said of it.
    ///
    /// - Throws: `PluginError`, and `usage` for a parameter that it does not have or that does not take the value.
    package func make(channels: Int, sampleRate: Int) throws -> Plugin {
        let list = try PluginList.installed()
        try PluginGuard.admit(try list.info(name), isStrict: isStrict)
        let plugin = try Plugin(name, channels: channels, sampleRate: sampleRate, in: list)
        if let preset {
            do throws(PluginError) {
                try plugin.load(preset: preset)
            } catch {
                guard isRestored else { throw error }
                StandardError.complain("\(error); the plug-in begins without it")
            }
        }
        if let state {
            do throws(PluginError) {
                try plugin.restore(state)
            } catch {
                StandardError.complain("\(error); the plug-in begins without it")
            }
        }
        for (name, word) in values {
            guard let parameter = plugin.parameters.first(where: { $0.info.name == name }), name != "bypass" else {
                let names = plugin.parameters.map(\.info.name).filter { $0 != "bypass" }
                // Another edition of it may be installed by now.
                guard !isRestored else {
                    StandardError.complain("\(shown(self.name)) has no \(shown(name)) any more; it is left out")
                    continue
                }
                let near = nearest(to: name, among: names).map { "did you mean \($0)?" }
                throw Failure(
                    .usage,
                    "--plugin \(shown(self.word)): there is no \(shown(name)); \(near ?? "iounit plugin info \(shown(self.name)) lists its parameters")",
                    of: "plugin"
                )
            }
            // A session from before triggers were known has them as switches.
            if parameter.info.kind == .action && (isRestored || ["off", "0"].contains(word)) { continue }
            let wanted = parameter.info.value(word: word)
            let value = isRestored ? wanted.map(parameter.info.nearest) : wanted
            if value != wanted {
                StandardError.complain(
                    "the session's \(name)=\(shown(word)) of \(shown(self.name)) is set to the nearest that it takes here"
                )
            }
            guard let value, parameter.info.accepts(value) else {
                guard !isRestored else {
                    StandardError.complain(
                        "the session's \(name)=\(shown(word)) of \(shown(self.name)) is left out: it takes \(shown(parameter.info.takes))"
                    )
                    continue
                }
                throw Failure(
                    .usage, "--plugin \(shown(self.word)): \(name) takes \(shown(parameter.info.takes))", of: "plugin")
            }
            try parameter.set(value)
        }
        return plugin
    }

    /// As `init` reads it, as a plug-in stands now.
    package func word(_ plugin: Plugin) -> String {
        let start = [name] + (preset.map { ["preset=\($0)"] } ?? [])
        return (start + Self.settings(plugin)).joined(separator: ",")
    }

    /// Its parameters as they stand, in all digits: what they are for only the plug-in knows. What is done once stands nowhere.
    private static func settings(_ plugin: Plugin) -> [String] {
        plugin.parameters.filter { $0.info.name != "bypass" && $0.info.kind != .action }.map {
            "\($0.info.name)=\($0.info.word($0.value, isRounded: false))"
        }
    }
}

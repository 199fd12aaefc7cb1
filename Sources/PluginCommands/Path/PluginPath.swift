import AudioIO
import AudioPlugins
import CommandSyntax

/// The options about plug-ins in the path of the sound: one place for all subcommands that have them.
package struct PluginPath: Sendable {
    /// - Parameter place: where in the path of the sound they are, as in "after the shape".
    package static func options(_ place: String) -> [Option] { [plugins(place), PluginGuard.option] }

    private static func plugins(_ place: String) -> Option {
        Option(
            "plugin", "PLUGIN,…",
            "an LV2 plug-in \(place), by its URI or short name, then its parameters by their symbols, as in "
                + "fomp/autowah,drive=3, and preset=NAME before them; may be repeated, in the order of the path; iounit plugin "
                + "list shows them, iounit plugin info PLUGIN their parameters")
    }

    /// To be read, wherever in the path they are.
    package static let option = plugins("")

    /// In the order of the path.
    package private(set) var choices: [PluginChoice]

    /// - Throws: `usage`.
    package init(_ arguments: Arguments) throws(Failure) {
        var choices: [PluginChoice] = []
        for word in arguments.words(of: Self.option) { choices.append(try PluginChoice(word)) }
        let isStrict = arguments.has(PluginGuard.option)
        for place in choices.indices { choices[place].isStrict = isStrict }
        self.choices = choices
    }

    /// What they begin with, beside what the words say: see `restore`.
    package var states: [String?] { choices.map(\.state) }
    /// As they were given.
    package var words: [String] { choices.map(\.word) }

    /// Has each begin with a state that was saved.
    ///
    /// - Parameter state: Turtle, of the number of a plug-in in the path, from 1; `nil` where nothing was saved of it.
    package mutating func restore(_ state: (Int) -> String?) {
        for place in choices.indices {
            choices[place].state = state(place + 1)
            choices[place].isRestored = true
        }
    }

    /// What a unit's MIDI ports are connected to.
    ///
    /// - Parameter route: of controllers; `nil` where there are none. Then a plug-in with MIDI has the ports, and somebody else
    ///   connects them.
    /// - Throws: `missing`; `unavailable`.
    package func midi(beside route: MIDIRoute?) throws(PluginError) -> MIDIRoute? {
        if let route { return route }
        guard !choices.isEmpty else { return nil }
        let list = try PluginList.installed()
        for choice in choices {
            let info = try list.info(choice.name)
            if info.hasMIDIInput || info.hasMIDIOutput { return MIDIRoute.none }
        }
        return nil
    }

    /// Loads them, and sets what was said of them.
    ///
    /// - Parameters:
    ///   - channels: of the path.
    ///   - sampleRate: of the run, in hertz.
    /// - Throws: see `PluginChoice.make`.
    package func make(channels: Int, sampleRate: Int) throws -> PluginChain {
        try PluginChain(choices, choices.map { try $0.make(channels: channels, sampleRate: sampleRate) })
    }
}

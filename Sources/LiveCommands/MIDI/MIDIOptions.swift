import AudioIO
import CommandSyntax

/// Whether MIDI controllers control a run, and which.
struct MIDIOptions {
    static let group: (heading: String, options: [Option]) = ("MIDI", options(learning: "key l learns"))

    /// - Parameter learning: how it is learnt which controller moves what.
    static func options(learning: String) -> [Option] {
        [
            Option(flag: "midi", "add MIDI ports and let controllers change the run (\(learning))"),
            Option(
                "midi-port", "PATTERN",
                "connect them to the ports whose name matches (a regular expression), now or when they come, or to none "
                    + "(the machine's sockets)"
            )
            .needs(["midi"]),
        ]
    }

    /// Which controller moves what, and where that is kept: `nil` of a user without a home.
    typealias Mappings = (mappings: [MIDIMapping], place: SettingsPlace?)

    var route: MIDIRoute
    /// Not with `--no-config`.
    private let readsMappings: Bool

    /// - Returns: `nil` where no MIDI is wanted.
    init?(_ arguments: Arguments) throws(Failure) {
        guard arguments.has("midi") else { return nil }
        readsMappings = !arguments.has("no-config")
        let pattern = arguments.value("midi-port")
        try arguments.require(pattern != "", "--midi-port needs a pattern, or none", of: "midi-port")
        route =
            switch pattern {
            case nil: .physical
            case "none": .none
            case let pattern?: .matching(pattern)
            }
    }

    /// The user's mappings, and where they are kept: what is learnt is kept there with `--no-config`, too.
    ///
    /// - Parameter place: of the file; `nil` of a user without a home.
    /// - Throws: `config`.
    func load(
        _ place: SettingsPlace? = SettingsPlace(name: MIDIMapText.fileName)
    ) throws(Failure) -> Mappings {
        guard readsMappings, let place else { return ([], place) }
        return (try MIDIMapText.parse(try place.read() ?? "", path: place.path), place)
    }
}

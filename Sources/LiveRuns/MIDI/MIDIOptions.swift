import AudioIO
import CommandSyntax
import ServerRuns

/// Whether MIDI controllers control a run, and which.
struct MIDIOptions: PartOptions {
    static let group = optionGroup("Control", midi, port.option)

    private static let midi = Option(
        flag: "midi",
        "add MIDI ports and let controllers change the run (key l of iounit monitor learns which one changes what)")
    private static let port = TypedOption<[String]>.patterns(
        "midi-port", none: "no connection",
        "connect them to the ports whose name matches (a regular expression), now or when they come, or to none "
            + "(the MIDI sockets of the machine)"
    ).with { $0.needs([midi.name]) }

    /// Which controller moves what, and where that is kept: `nil` of a user without a home.
    typealias Mappings = (mappings: [MIDIMapping], place: SettingsPlace?)

    /// `nil` where no controllers are wanted. Plug-ins may have MIDI all the same.
    let route: MIDIRoute?
    /// Not with `--no-config`.
    private let readsMappings: Bool

    init(_ arguments: Arguments) throws(Failure) {
        readsMappings = !arguments.has(.noConfig)
        let pattern = try arguments.value(of: Self.port).last
        route =
            switch pattern {
            case _ where !arguments.has(Self.midi): nil
            case nil: .physical
            case "none": MIDIRoute.none
            case let pattern?: .matching(pattern)
            }
    }

    func prepare(_ configuration: inout EngineConfiguration, on server: ServerOptions) { configuration.midi = route }

    /// - Throws: `config`.
    func open(inputs: Int, outputs: Int) throws -> MIDIPart { MIDIPart(route == nil ? nil : try load()) }

    /// The user's mappings, and where they are kept: learnt mappings are kept there with `--no-config`, too.
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

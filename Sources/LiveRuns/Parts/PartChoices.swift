import AudioIO
import CommandSyntax
import ServerRuns

/// The parts that some of the live subcommands can have, in the order of their fields in a report.
package protocol PartList: SendableMetatype {
    static var kinds: [any PartOptions.Type] { get }
}

/// Those of each live subcommand.
package enum LiveParts: PartList {
    package static var kinds: [any PartOptions.Type] {
        [StreamOptions.self, MIDIOptions.self, OSCOptions.self, PageOptions.self]
    }
}

/// Those of a subcommand that takes sound as microphones hear it.
package enum VoiceParts: PartList {
    package static var kinds: [any PartOptions.Type] { [VoiceChoice.self] + LiveParts.kinds }
}

/// Those of a subcommand whose own work is no recording.
package enum SideParts: PartList {
    package static var kinds: [any PartOptions.Type] { [SideRecording.self] + LiveParts.kinds }
}

/// Those of a subcommand whose own work is a stream, which the options of a stream are about.
package enum StreamParts: PartList {
    package static var kinds: [any PartOptions.Type] { SideParts.kinds.filter { $0 != StreamOptions.self } }
}

extension PartList {
    /// Their options. What stands below one heading is together.
    package static var groups: [OptionGroup] {
        kinds.reduce(into: []) { groups, kind in
            if let index = groups.firstIndex(where: { $0.heading == kind.group.heading }) {
                groups[index].options += kind.group.options
            } else {
                groups.append(kind.group)
            }
        }
    }
}

/// Which parts a run is to have beside its own work.
package struct PartChoices {
    private(set) var all: [any PartOptions]

    package init(_ arguments: Arguments, of list: any PartList.Type) throws(Failure) {
        var all: [any PartOptions] = []
        for kind in list.kinds { if let options = try kind.init(arguments) { all.append(options) } }
        self.all = all
    }

    /// What was asked for of one of them; `nil` where it was not asked for.
    package subscript<Choice: PartOptions>(_: Choice.Type) -> Choice? { all.lazy.compactMap { $0 as? Choice }.first }

    /// Whether one of them writes sound to the standard output.
    package var useOutput: Bool { all.contains { $0.usesOutput } }

    /// Says what the unit must have for them, and finds out whether that can be had.
    package mutating func prepare(
        _ configuration: inout EngineConfiguration, on server: ServerOptions
    ) throws(Failure) {
        for index in all.indices { try all[index].prepare(&configuration, on: server) }
    }
}

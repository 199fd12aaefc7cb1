import AudioPlugins
import AudioReports
import CommandSyntax
import PluginChecks

extension Subcommand {
    package static let plugin = Subcommand(PluginOptions.self)
}

/// `iounit plugin`: what there is to know of LV2 plug-ins, a verb for each question.
struct PluginOptions: SubcommandOptions {
    static let syntax = Syntax(
        name: "plugin",
        summary:
            "what LV2 plug-ins are installed, what they are, and which may run on an audio thread; needs no server",
        groups: PluginCheckOptions.groups + [
            optionGroup(
                "Output",
                names.excludes(["json"]),
                .json(ofVerbs: [
                    ("list", PluginListReport.kind), ("info", PluginInfoReport.kind),
                    ("check", PluginCheckReport.kind),
                ]))
        ],
        notes: """
            iounit plugin list wah shows those with wah in their names, URI, class or author.
            iounit plugin info fomp/autowah shows one: its ports with their ranges, its presets, its latency, its claims.
            \(PluginCheckOptions.notes)
            A plug-in is named by its URI or by its short name: the bundle, and the last part of the URI. Where two would have the
            same short name, neither has one; a check takes both. iounit monitor --plugin NAME puts one into the path of the sound.
            iounit plugin list --names eq shows the short names with eq in them, or the URI of a plug-in without one, as shells offer them.
            LV2_PATH names the folders to look in.

            The exit code of a check is 0 where all are real-time safe, and 1 where one is not, or only after its first block, or
            could not be judged. It is 65 where a bundle cannot be read or a library offers no processors, and 66 where there is no
            such plug-in, bundle, package or library. A signal ends a check with a report of what was checked by then: 130 (SIGINT),
            143 (SIGTERM) or 129 (SIGHUP).

            What a check finds is kept: iounit plugin info and runs with --plugin show it.
            """,
        operands: "list [PATTERN] | info PLUGIN | check PLUGIN|BUNDLE...", takesSettings: false,
        operandsOfVerbs: ["info": .plugins(orFiles: false), "check": .plugins(orFiles: true)])

    private static let names = Option(flag: "names", "of list, print the names alone, a line each")

    private let action: () throws -> ExitCode

    init(_ arguments: Arguments) throws(Failure) {
        let isJSON = arguments.isJSON
        let verb = try arguments.verb(usual: "list")
        var operands = arguments.operands.dropFirst()
        for option in PluginCheckOptions.groups.flatMap(\.options) {
            try arguments.permit(
                option, if: verb == "check", "is for iounit plugin check, not for \(shown(verb))")
        }
        try arguments.permit(Self.names, if: verb == "list", "is for iounit plugin list, not for \(shown(verb))")
        switch verb {
        case "list":
            try arguments.require(
                operands.count <= 1, "plugin list takes one pattern; put more words in quotes, as in \"low pass\"")
            action =
                PluginListing(
                    pattern: operands.first ?? "", isJSON: isJSON, namesAlone: arguments.has(Self.names)
                ).run
        case "info":
            guard let name = operands.popFirst(), operands.isEmpty else {
                throw arguments.usage("plugin info needs one plug-in, as in iounit plugin info fomp/autowah")
            }
            action = PluginFacts(name: name, isJSON: isJSON).run
        default: action = try PluginCheckOptions(arguments, Array(operands)).run
        }
    }

    func run() throws -> ExitCode { try action() }
}

extension PluginError: EndsCommand {
    package var failure: Failure {
        let code: ExitCode =
            switch kind {
            case .missing: .noInput
            case .unusable, .channels: .badInput
            case .unavailable: .noServer
            }
        return Failure(code, description)
    }
}

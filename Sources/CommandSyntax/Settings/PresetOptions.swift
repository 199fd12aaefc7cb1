import AudioReports

/// What `iounit preset` was asked to do.
struct PresetOptions {
    enum Action: Equatable {
        /// Keeps the words of a command line, of which the first is the subcommand.
        case save(name: String, words: [String])
        case list
        case show(name: String)
        case remove(name: String)
    }

    static let syntax = Syntax(
        name: "preset", summary: "keep a command line under a name",
        groups: [
            (
                "Options",
                [
                    .force("let save replace a preset that is there"),
                    .help,
                ]
            )
        ],
        notes: """
            iounit preset save stage -- monitor --shape tanh --drive 12 keeps that command line as stage.
            iounit monitor --preset stage runs it, and so does iounit --preset stage.
            Options behind it win, as in iounit monitor --preset stage --drive 6; arguments replace the preset's; and
            --no-bypass takes back a flag bypass.
            list shows all presets, show prints one as a command line, and remove takes one away.
            Presets are sections of the settings (iounit help settings). No secret is kept: tokens and passwords only as
            file:PATH or env:NAME.
            Exit codes: 73 for a preset that is there already, 78 for settings that cannot be understood.
            """,
        operands: "save NAME -- SUBCOMMAND... | list | show NAME | remove NAME", takesSettings: false,
        verbs: ["save", "list", "show", "remove"])

    let action: Action
    let replaces: Bool

    init(_ words: [String]) throws(Failure) {
        let arguments = try Self.arguments(words)
        replaces = arguments.has("force")
        let actions = Self.syntax.verbs
        var operands = arguments.operands[...]
        let verb = operands.popFirst() ?? "list"
        guard actions.contains(verb) else {
            let near = didYouMean(verb, among: actions) ?? "see iounit preset --help"
            throw arguments.usage("preset can save, list, show and remove, not \"\(shown(verb))\"; \(near)")
        }
        try arguments.require(verb == "save" || !replaces, "--force is for preset save")
        if verb == "list" {
            try arguments.require(operands.isEmpty, "preset list takes no name")
            action = .list
            return
        }
        guard let name = operands.popFirst() else {
            throw arguments.usage("preset \(verb) needs a name, as in iounit preset \(verb) stage")
        }
        try arguments.require(Preset.isName(name), Preset.nameRule)
        switch verb {
        case "save":
            try arguments.require(
                !operands.isEmpty,
                "preset save needs a command line: iounit preset save \(name) -- monitor --shape tanh")
            action = .save(name: name, words: Array(operands))
        default:
            try arguments.require(operands.isEmpty, "preset \(verb) takes one name")
            action = verb == "show" ? .show(name: name) : .remove(name: name)
        }
    }

    /// Says where the dashes are missing that part the preset's words from our own.
    private static func arguments(_ words: [String]) throws(Failure) -> Arguments {
        if words.first == "save", !words.contains("--"), let word = words.first(where: { $0.hasPrefix("-") }),
            !["--force", "--help"].contains(word)
        {
            throw Failure(
                .usage,
                "\(shown(word)) is of the preset: write -- before the subcommand, as in "
                    + "iounit preset save stage -- monitor --shape tanh")
        }
        return try Arguments(words, syntax)
    }
}

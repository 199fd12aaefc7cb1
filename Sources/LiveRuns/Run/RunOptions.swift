import AudioRecording
import AudioReports
import CommandSyntax
import Jack

package enum RunOptions {
    /// About the run as a whole.
    ///
    /// - Parameters:
    ///   - json: the option `--json`, which is the last.
    ///   - first, last: before and behind those of a server that goes away.
    package static func group(_ json: Option, first: [Option] = [], last: [Option] = []) -> OptionGroup {
        ("Run", first + ReconnectOptions.options + last + [json])
    }

    /// What the unit is called in JACK's graph.
    package static let name = TypedOption<String>(
        Option("name", "NAME", "the unit's name in JACK (\(usualName))").kept(.run)
    ) { name, arguments throws(Failure) in
        guard let name else { return usualName }
        try arguments.require(
            Client.isName(name), "--name takes 1 to \(Client.longestName) bytes without a colon; choose another",
            of: "name")
        return name
    }
    private static let usualName = "iounit"

    /// How long it lasts; `nil` for no end.
    package static let seconds = TypedOption<Double?>.number(
        "seconds", .seconds, 0.01...1e9, "end after this time, as 90, 10min or 1:30:00"
    ).with { $0.kept(.run) }

    /// What becomes of gaps of a recording.
    ///
    /// - Parameter does: names both ways.
    package static func gaps(_ does: String) -> TypedOption<GapFill> {
        .choice("gaps", "HOW", GapFill.allCases, \.rawValue, initial: .silence, does).with { $0.kept(.run) }
    }

    /// What becomes of a recording where the server comes back at another sample rate.
    ///
    /// - Parameter does: names both ways.
    package static func rateChange(_ does: String) -> TypedOption<RateChange> {
        .choice("on-rate-change", "HOW", RateChange.allCases, \.rawValue, initial: .split, does)
            .with { $0.kept(.run) }
    }
}

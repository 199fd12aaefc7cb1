import CommandSyntax
import SystemHealth
import TerminalPages

/// `iounit doctor`: whether this machine is fit for sound that must be in time, and what to change.
struct DoctorCommand: SubcommandOptions {
    static let syntax = Syntax(
        name: "doctor", summary: "say whether this machine is fit for live sound, and what to change",
        groups: [
            (
                "Options",
                [
                    Option(flag: "verbose", "also show what is in order"),
                    .json(DoctorReport.kind, "print one JSON object with all that was looked at"),
                    .help,
                ]
            )
        ],
        notes: """
            Looks at limits, groups, processors, kernel, clocks, memory, cards and sound servers, as the user who runs it:
            run it as the user who will play. It changes nothing and joins no server; a change is yours to make.

            A problem means late sound or none; a warning, that sound may be late under load or at short periods; a note
            is rarely in the way; unseen says nothing for or against. The exit code is 1 where there is a problem, and 0
            else, also with warnings.
            """)

    private let isVerbose: Bool
    private let isJSON: Bool

    init(_ words: [String]) throws(Failure) {
        let arguments = try Arguments(words, Self.syntax)
        isVerbose = arguments.has("verbose")
        isJSON = arguments.has("json")
    }

    func run() throws -> ExitCode {
        let examination = Examination()
        try StandardOutput.print(
            isJSON
                ? reportJSON(DoctorReport(examination: examination))
                : DoctorPage(examination, isVerbose: isVerbose, PageFormat()).text)
        return examination.isFit ? .done : .outsideLimits
    }
}

import AudioReports
import CommandSyntax
import SystemHealth
import TerminalPages

/// `iounit doctor`: whether this machine is fit for sound that must be in time, and what to change.
struct DoctorCommand: SubcommandOptions {
    static let syntax = Syntax(
        name: "doctor", summary: "say whether this machine is fit for live sound, and what to change",
        groups: [
            optionGroup(
                "Options",
                verbose,
                .json(DoctorReport.kind, "print one JSON object with all that was looked at"))
        ],
        notes: """
            Looks at limits, groups, processors, kernel, clocks, memory, cards and sound servers, as the user who runs it:
            run it as the user who will play. It changes nothing and joins no server; a change is yours to make.

            A problem means late sound or none; a warning, that sound may be late under load or at short periods; a note
            is rarely in the way; unseen says nothing for or against. The exit code is 1 where there is a problem, and 0
            else, also with warnings.
            """)

    private static let verbose = Option(flag: "verbose", "also show what is in order")

    private let isVerbose: Bool
    private let isJSON: Bool

    init(_ arguments: Arguments) throws(Failure) {
        isVerbose = arguments.has(Self.verbose)
        isJSON = arguments.isJSON
    }

    func run() throws -> ExitCode {
        let examination = Examination()
        try StandardOutput.print(
            isJSON
                ? reportJSON(DoctorReport(examination: examination))
                : page(examination, PageFormat()))
        return examination.isFit ? .done : .outsideLimits
    }
}

extension DoctorCommand {
    /// Wide enough for each weight, and for each label below it.
    private static let indent = 10

    /// An examination for people at a terminal: worst first, and the verdict where the eye ends.
    private func page(_ examination: Examination, _ format: PageFormat) -> String {
        let visible = examination.findings.filter { isVerbose || $0.weight != .ok }
        let blocks = visible.map { Self.lines($0, format) }
        let hidden = isVerbose ? 0 : examination.count(.ok)
        let rest = hidden == 0 ? [] : ["\(hidden) more \(hidden == 1 ? "is" : "are") well: --verbose shows them."]
        let color = !examination.isFit ? 31 : examination.count(.warning) > 0 ? 33 : 32
        let verdict = wrapped(shown(examination.verdict), width: format.width).map { format.colored($0, color) }
        return (blocks + [rest + verdict]).map { $0.joined(separator: "\n") }.joined(separator: "\n\n")
    }

    private static func lines(_ finding: Finding, _ format: PageFormat) -> [String] {
        let color =
            switch finding.weight {
            case .problem: 31
            case .warning: 33
            case .note: 36
            case .unseen: 35
            case .ok: 32
            }
        func entry(_ label: String, _ text: String) -> [String] {
            labelled(label, wrapped(shown(text), width: format.width - indent), indent: indent)
        }
        let label = finding.weight.rawValue
        var lines = entry(label, finding.statement)
        lines[0] = format.colored(label, color) + lines[0].dropFirst(label.count)
        // What is well needs no reason.
        if finding.weight != .ok { lines += entry("  why", finding.reason) }
        let steps = finding.remedy.flatMap { Self.lines($0, format) }
        return lines + labelled("  do", steps, indent: indent)
            + entry("  read", finding.sources.joined(separator: ", "))
    }

    /// The text to type is never broken, so that it can be copied.
    private static func lines(_ step: Step, _ format: PageFormat) -> [String] {
        let text = step.text.value.map { [shown($0)] } ?? []
        guard let advice = step.advice.value else { return text }
        return wrapped(shown(advice) + (text.isEmpty ? "" : ":"), width: format.width - indent) + text.map { "  \($0)" }
    }
}

struct DoctorReport: ReportDocument {
    let examination: Examination

    static let kind = document("doctor", 1)
    static let fields: [ReportField<Self>] = [
        .field("fit", "whether there is no problem", \.examination.isFit),
        .field("verdict", "the same in a sentence, with what matters most", \.examination.verdict),
        .group("counts") { Counts(examination: $0.examination) },
        .field("findings", "what was looked at, the worst first", \.examination.findings),
    ]

    private struct Counts: Reported {
        let examination: Examination

        static let fields: [ReportField<Self>] = Finding.Weight.allCases.map { weight in
            .field(weight.rawValue, "how many findings have this weight") { $0.examination.count(weight) }
        }
    }
}

extension Finding: Reported {
    package static let fields: [ReportField<Self>] = [
        .field("subject", "what was looked at, in a word or two", \.subject),
        .field("weight", "how much it matters", \.weight),
        .field("statement", "the finding, in one sentence", \.statement),
        .field("reason", "why it matters", \.reason),
        .group("remedy", \.remedy),
        .field("sources", "the files and commands that were read", \.sources),
    ]
}

extension Step: Reported {
    package static let fields: [ReportField<Self>] = [
        .field("advice", "what to do, in words; null where the text says it all", \.advice),
        .field("text", "a command or a line of a file, to the letter; null where there is none", \.text),
    ]
}

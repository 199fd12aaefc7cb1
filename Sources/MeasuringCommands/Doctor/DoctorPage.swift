import AudioReports
import SystemHealth
import TerminalPages

/// An examination for people at a terminal: worst first, and the verdict where the eye ends.
struct DoctorPage {
    /// Lines without a line break after the last.
    let text: String

    /// Wide enough for each weight, and for each label below it.
    private static let indent = 10

    init(_ examination: Examination, isVerbose: Bool, _ format: PageFormat) {
        let visible = examination.findings.filter { isVerbose || $0.weight != .ok }
        let blocks = visible.map { Self.lines($0, format) }
        let hidden = isVerbose ? 0 : examination.count(.ok)
        let rest = hidden == 0 ? [] : ["\(hidden) more \(hidden == 1 ? "is" : "are") well: --verbose shows them."]
        let color = !examination.isFit ? 31 : examination.count(.warning) > 0 ? 33 : 32
        let verdict = wrapped(shown(examination.verdict), width: format.width).map { format.colored($0, color) }
        text = (blocks + [rest + verdict]).map { $0.joined(separator: "\n") }.joined(separator: "\n\n")
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

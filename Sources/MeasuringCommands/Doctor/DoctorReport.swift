import AudioReports
import SystemHealth

/// What `iounit doctor --json` prints.
struct DoctorReport: ReportDocument {
    let examination: Examination

    static let name = "doctor"
    static let version = 1
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
        .field("weight", "how much it matters", of: Weight.allCases.map(\.rawValue), \.weight.rawValue),
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

import AudioReports
import SystemHealth

/// What `iounit doctor --json` prints.
struct DoctorReport: ReportDocument, Decodable {
    struct Counts: Reported, Decodable {
        private var byWeight: [String: Int]

        init(_ examination: Examination) {
            byWeight = Dictionary(
                uniqueKeysWithValues: Finding.Weight.allCases.map { ($0.rawValue, examination.count($0)) })
        }

        init(from decoder: any Decoder) throws { byWeight = try [String: Int](from: decoder) }

        subscript(weight: Finding.Weight) -> Int { byWeight[weight.rawValue] ?? 0 }

        static let fields: [ReportField<Self>] = Finding.Weight.allCases.map { weight in
            .field(weight.rawValue, "how many findings have this weight", \.[weight])
        }
    }

    var fit: Bool
    var verdict: String
    var counts: Counts
    var findings: [Finding]

    static let name = "doctor"
    static let version = 1
    static let fields: [ReportField<Self>] = [
        .field("fit", "whether there is no problem", \.fit),
        .field("verdict", "the same in a sentence, with what matters most", \.verdict),
        .group("counts", \.counts),
        .group("findings", \.findings),
    ]

    init(_ examination: Examination) {
        fit = examination.isFit
        verdict = examination.verdict
        counts = Counts(examination)
        findings = examination.findings
    }
}

extension Finding: Reported {
    package static let fields: [ReportField<Self>] = [
        .field("subject", "what was looked at, in a word or two; the worst first", \.subject),
        .field("weight", "how much it matters", of: Weight.allCases.map(\.rawValue), \.weight.rawValue),
        .field("statement", "what is, in one sentence", \.statement),
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

import SystemHealth

/// What `iounit doctor --json` prints.
struct DoctorReport: Codable {
    var schema = "iounit.doctor/1"
    /// Whether there is no problem.
    var fit: Bool
    var verdict: String
    /// How many findings there are of each weight, those of which there are none included.
    var counts: [String: Int]
    /// Worst first.
    var findings: [Finding]

    init(_ examination: Examination) {
        fit = examination.isFit
        verdict = examination.verdict
        counts = Dictionary(
            uniqueKeysWithValues: Finding.Weight.allCases.map { ($0.rawValue, examination.count($0)) })
        findings = examination.findings
    }
}

/// A figure, and what it was to be.
struct Goal {
    let what: String
    let measured: String
    /// As in "at most 1.05"; `nil` where the figure is given for what it is.
    let limit: String?
    let isMet: Bool

    /// A figure that may be as large as `limit`, to the digits that are printed.
    init(_ what: String, _ measured: Double, atMost limit: Double, digits: Int = 2, unit: String = "") {
        self.what = what
        self.measured = measured.text(digits) + unit
        self.limit = "at most " + limit.text(digits) + unit
        isMet = (Double(measured.text(digits)) ?? measured) <= limit
    }

    /// A figure that may be as small as `limit`, to the digits that are printed.
    init(_ what: String, _ measured: Double, atLeast limit: Double, digits: Int = 2, unit: String = "") {
        self.what = what
        self.measured = measured.text(digits) + unit
        self.limit = "at least " + limit.text(digits) + unit
        isMet = (Double(measured.text(digits)) ?? measured) >= limit
    }

    /// A figure without a goal.
    init(_ what: String, _ measured: String) {
        self.what = what
        self.measured = measured
        limit = nil
        isMet = true
    }

    static func table(_ goals: [Goal]) -> String {
        let verdicts = goals.map { $0.limit == nil ? "" : $0.isMet ? "met" : "MISSED" }
        return Table(
            ["figure", "measured", "goal", ""],
            zip(goals, verdicts).map { [$0.what, $0.measured, $0.limit ?? "none", $1] }
        ).text
    }
}

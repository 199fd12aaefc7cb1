/// What an examination found about one subject: what is, why that matters, and what to do about it.
public struct Finding: Codable, Sendable, Equatable {
    /// How much it matters for sound that must be in time.
    public enum Weight: String, Codable, Sendable, CaseIterable, Comparable {
        /// Sound will be late, or there will be none.
        case problem
        /// Sound may be late under load, or at short periods.
        case warning
        /// Worth knowing, and rarely in the way.
        case note
        /// It could not be seen, which says nothing for or against the machine.
        case unseen
        /// Well.
        case ok

        /// The worse one is less, so that it comes first.
        public static func < (left: Weight, right: Weight) -> Bool { left.place < right.place }

        private var place: Int { Self.allCases.firstIndex(of: self) ?? 0 }
    }

    /// What was looked at, in a word or two.
    public var subject: String
    /// How much it matters.
    public var weight: Weight
    /// What is, in one sentence.
    public var statement: String
    /// Why it matters.
    public var reason: String
    /// Empty where there is nothing to do.
    public var remedy: [Step]
    /// The files and commands that were read.
    public var sources: [String]

    /// - Parameter reason: where it is another one than the subject's.
    init(
        _ subject: Subject, _ weight: Weight, _ statement: String, because reason: String? = nil, remedy: [Step] = [],
        from sources: [String]
    ) {
        self.subject = subject.name
        self.weight = weight
        self.statement = statement
        self.reason = reason ?? subject.reason
        self.remedy = remedy
        self.sources = sources
    }
}

/// What findings are about, and why that matters.
struct Subject {
    let name: String
    let reason: String

    init(_ name: String, because reason: String) { (self.name, self.reason) = (name, reason) }
}

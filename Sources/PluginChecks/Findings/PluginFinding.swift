import AudioReports

/// What a plug-in was seen to do, in one phase, at one place.
package struct PluginFinding: Reported, Codable, Equatable {
    /// Where in the code.
    package struct Place: Reported, Codable, Hashable {
        package var library: String
        package var libraryOffset: Int
        package var function: String?
        package var functionOffset: Int?
        package var source: String?

        package static let fields: [ReportField<Self>] = [
            .field("library", "who called, the innermost first: a path", \.library),
            .field("libraryOffset", "of the instruction in the library, in bytes", \.libraryOffset),
            .field("function", "null where the library does not export it", \.function),
            .field("functionOffset", "of the instruction in the function, in bytes", \.functionOffset),
            .field("source", "file and line, where there are debug symbols", \.source),
        ]

        /// Libraries that every program has: what matters is who called them.
        var isOfSystem: Bool {
            let name = library.split(separator: "/").last ?? ""
            return [
                "libc.so", "libc-", "libm.so", "libstdc++", "libswift", "libgcc", "ld-linux", "libpthread",
                "linux-vdso",
            ]
            .contains {
                name.hasPrefix($0)
            }
        }

        /// As `function+12 (plugin.so+0x1234)`.
        package var inWords: String {
            let file = library.split(separator: "/").last.map(String.init) ?? library
            let offset = "\(file)+0x\(String(libraryOffset, radix: 16))"
            let name = function.map { "\($0)+\(functionOffset ?? 0) (\(offset))" } ?? offset
            return source.map { "\(name), \($0)" } ?? name
        }
    }

    package static let fields: [ReportField<Self>] = [
        .field("finding", "its kind, as --allow takes it", \.finding),
        .field("isFailure", "false for a warning", \.isFailure),
        .field("subject", "the function that was called, or the port that was touched", \.subject),
        .field("phase", "what the plug-in was going through", \.phase),
        .field("count", "how often", \.count),
        .field("blocks", "in how many blocks", \.blocks),
        .field(
            "amount", "the most at once: bytes of memory or stack, periods that a block took, samples, page faults",
            \.amount),
        .field("text", "more about it; may be empty", \.text),
        .group("frames", \.frames),
    ]

    package var finding: FindingKind
    package var isFailure: Bool
    package var subject: String
    package var phase: String
    package var count: Int
    package var blocks: Int
    package var amount: Double
    package var text: String
    package var frames: [Place]

    /// The innermost place that is the plug-in's or its libraries'.
    package var place: Place? { frames.first { !$0.isOfSystem } ?? frames.first }

    /// For people, in one line.
    package var inWords: String {
        var words = "\(finding.inWords) (\(subject)) in \(phase)"
        if count > 1 { words += ", \(count) times" }
        if !text.isEmpty { words += ", \(text)" }
        if let place { words += ", at \(place.inWords)" }
        return words
    }

    /// Outside of `run` much is allowed that is not allowed in it.
    static let phasesOutsideRun: Set<String> = [
        "start", "description", "load", "instantiate", "activate", "deactivate", "free",
    ]
    /// A host may run them before it connects the plug-in.
    private static let firstBlocks: Set<String> = ["first block", "first block after a reset"]

    /// From how much stack on a plug-in does not fit the threads of libjack, in bytes.
    static let stackOfThreads = 512.0 * 1024

    init?(_ line: ProbeLine, failing: Set<FindingKind>) {
        guard let finding = line.finding.flatMap(FindingKind.init), let phase = line.phase, let subject = line.subject
        else {
            return nil
        }
        self.finding = finding
        self.phase = phase
        self.subject = subject
        count = (line.count ?? 1).asCount
        blocks = (line.blocks ?? 1).asCount
        amount = line.amount.map { $0.isFinite ? $0 : 0 } ?? 0
        text = line.text ?? ""
        frames = (line.frames ?? []).map { frame in
            Place(
                library: frame.library, libraryOffset: frame.libraryOffset.asCount, function: frame.function,
                functionOffset: frame.functionOffset?.asCount)
        }
        isFailure = false
        isFailure = fails(failing)
    }

    /// Whether it is a failure where these kinds are.
    func fails(_ failing: Set<FindingKind>) -> Bool {
        // What is just below does not fit either: the host needs some itself.
        let isEnough = finding != .stack || amount >= Self.stackOfThreads * 15 / 16
        return failing.contains(finding) && isEnough && !Self.phasesOutsideRun.contains(phase)
    }

    /// Whether a host can have it behind itself before it connects the plug-in: a crash, a hang or an exit ends the host.
    var isOfFirstBlocks: Bool { Self.firstBlocks.contains(phase) && !FindingKind.endings.contains(finding) }
}

import AudioPlugins
import AudioReports
import CommandSyntax
import PluginChecks
import TerminalPages
import Threads

/// What `iounit plugin check` was asked to do.
struct PluginCheckOptions {
    private static let kinds = FindingKind.allCases.map(\.rawValue)

    static let groups: [OptionGroup] = [
        optionGroup(
            "Which plug-ins are checked",
            ofPackage, processor, all),
        optionGroup(
            "Check",
            failing.option, allowed, jobCount.option, deadline.option, verbose,
            Option("html", "FILE", "write a page that sorts and filters"),
            Option("junit", "FILE", "write a test case for each plug-in, as JUnit XML"),
            Option("markdown", "FILE", "add it as Markdown to a file, as to $GITHUB_STEP_SUMMARY"),
            .force(of: ["html", "junit"])),
    ]

    static let notes = """
        iounit plugin check fomp/autowah checks one, iounit plugin check /usr/lib/lv2/fomp.lv2/ all of a bundle: each in a process
        of its own, without JACK and without sound. iounit help plugin-check has more examples, and says what it goes through
        and what the findings mean.
        """

    private static let ofPackage = Option("package", "NAME", "those of a Debian package; may be repeated")
    private static let processor = Option(
        "processor", "FILE", "processors of your own, which a library offers (iounit help processors); may be repeated")
    private static let all = Option(
        flag: "all",
        "all that are installed; of these, where texts are named, those that have one of the texts in URI, name or bundle"
    )
    private static let failing = TypedOption<Set<FindingKind>>(
        Option(
            "fail-on", "LIST",
            "which findings fail, instead of all that may make a block late, as allocation,lock,wait"
        )
        .offering(kinds)
    ) { list, arguments throws(Failure) in
        guard let list else { return FindingKind.failures }
        return Set(
            try list.split(separator: ",", omittingEmptySubsequences: false).map { text throws(Failure) in
                try kind(String(text), "fail-on", arguments)
            })
    }
    private static let allowed = Option(
        "allow", "FINDING", "let a finding pass, or first-block: what only first blocks do; may be repeated"
    ).offering([firstBlock] + kinds)
    private static let verbose = Option(
        flag: "verbose", "also tell of safe plug-ins, of warnings, and of each place")
    private static let jobCount = TypedOption<Int?>.number(
        "jobs", .integer, 1...256, usual: "one for each processor", "how many at once", tellsRange: false)
    private static let deadline = TypedOption<Int>.number(
        "deadline", placeholder: "SECONDS", .integer, 2...3600, initial: 20, "how long one plug-in may take")

    let selection: PluginSelection
    /// Paths of libraries.
    let processors: [String]
    let failing: Set<FindingKind>
    let allowsFirstBlock: Bool
    let jobs: Int?
    let deadlineSeconds: Int
    let isVerbose: Bool
    let outputs: OutputOptions

    /// - Parameter names: the operands behind `check`.
    init(_ arguments: Arguments, _ names: [String]) throws(Failure) {
        selection = try Self.selection(arguments, names)
        processors = arguments.words(of: Self.processor)
        try arguments.require(!processors.contains(""), "--processor needs the path of a library", of: "processor")
        let allowed = arguments.words(of: Self.allowed)
        allowsFirstBlock = allowed.contains(Self.firstBlock)
        let passing = Set(
            try allowed.filter { $0 != Self.firstBlock }.map { text throws(Failure) in
                try Self.kind(text, "allow", arguments)
            })
        failing = try arguments.value(of: Self.failing).subtracting(passing)
        jobs = try arguments.value(of: Self.jobCount)
        deadlineSeconds = try arguments.value(of: Self.deadline)
        isVerbose = arguments.has(Self.verbose)
        outputs = try OutputOptions(arguments, ["html", "junit", "markdown"])
    }

    private static let firstBlock = "first-block"

    private static func selection(_ arguments: Arguments, _ names: [String]) throws(Failure) -> PluginSelection {
        var selection = PluginSelection()
        selection.packages = arguments.words(of: ofPackage)
        if arguments.has(all) {
            selection.patterns = names
        } else {
            selection.names = names
        }
        try arguments.require(
            !names.isEmpty || !selection.packages.isEmpty || selection.patterns != nil || arguments.has(processor),
            "plugin check needs plug-ins: a URI, a bundle, --package NAME, --processor FILE, or --all", of: "package",
            "processor", "all")
        try arguments.require(!names.contains(""), "an empty text names no plug-in")
        return selection
    }

    private static func kind(_ text: String, _ option: String, _ arguments: Arguments) throws(Failure) -> FindingKind {
        if let kind = FindingKind(rawValue: text) { return kind }
        let near =
            nearest(to: text, among: kinds).map { "did you mean \($0)?" } ?? "they are \(kinds.joined(separator: ", "))"
        throw arguments.usage("--\(option): there is no finding \"\(shown(text))\"; \(near)", of: option)
    }

    /// Says which plug-ins may run on an audio thread.
    func run() throws -> ExitCode {
        // The probe is linked with it.
        do { try OptionalLibrary.liblilv.load() } catch { throw error.failure }
        var check = PluginCheck(try PluginProbe())
        check.jobs = jobs ?? Processors.permitted
        check.deadlineSeconds = deadlineSeconds
        check.failing = failing
        // Before anything is written, so that a signal ends it at once.
        var plugins = try plugins(check.probe)
        // Of what others may host.
        let hashes = hashes(of: plugins)
        let signals = try Signals()
        guard let processors = try Self.processors(processors, check.probe, signals) else {
            StandardError.complain("interrupted: nothing was checked")
            return .interrupted
        }
        defer { withExtendedLifetime(processors) {} }
        plugins += processors.flatMap(\.plugins)
        let files = try outputs.open()
        let began = MonotonicClock.nanoseconds()
        let results = try Self.results(of: plugins, check, signals)
        let seconds = Double(MonotonicClock.nanoseconds() - began) / 1e9
        keep(results, hashes)
        let left = plugins.count - results.count
        let report = PluginCheckReport(
            results, left: left, seconds: seconds, allowsFirstBlock: allowsFirstBlock)
        try files.finish("html", with: report.page)
        try files.finish("junit", with: report.cases(allowsFirstBlock: allowsFirstBlock))
        try files.finish("markdown", with: report.markdown)
        // Only now: a signal before would leave half a file. Printing waits as long as nobody reads, and a signal ends that.
        signals.release()
        try StandardOutput.print(
            outputs.isJSON ? reportJSON(report) : report.table(isVerbose: isVerbose))
        guard left == 0 else {
            StandardError.complain("interrupted: \(results.count) of \(plugins.count) were checked, \(left) are left")
            return .interrupted
        }
        return report.isFit ? .done : .outsideLimits
    }

    /// Those that are meant. A description that has no end keeps nobody from the others: its bundle is left out and named.
    private func plugins(_ probe: PluginProbe) throws(PluginSearchError) -> [InstalledPlugin] {
        for bundle in selection.bundles {
            if let reason = PluginBundles.refusal(of: bundle) {
                throw .unreadable("\(bundle) cannot be checked: \(reason)")
            }
        }
        guard selection.looksThroughInstalled else { return try selection.plugins(probe) }
        let installed = PluginBundles()
        for refusal in installed.refusals { StandardError.complain(shown(refusal)) }
        return try selection.plugins(probe, among: installed.refusals.isEmpty ? nil : installed.readable)
    }

    /// Described; `nil` after an interruption.
    private static func processors(
        _ libraries: [String], _ probe: PluginProbe, _ signals: Signals
    ) throws(PluginSearchError) -> [ProcessorBundle]? {
        var bundles: [ProcessorBundle] = []
        for library in libraries {
            do throws(PluginSearchError) {
                bundles.append(try ProcessorBundle(library: library, probe) { signals.takeEnd() })
            } catch {
                if error == .interrupted { return nil }
                throw error
            }
        }
        return bundles
    }

    private static func results(
        of plugins: [InstalledPlugin], _ check: PluginCheck, _ signals: Signals
    ) throws(ResourceError) -> [PluginResult] {
        var line = ProgressLine()
        defer { line.clear() }
        return try check.results(of: plugins) {
            signals.takeEnd()
        } report: { progress in
            guard plugins.count > 1, progress.done < progress.all else { return }
            let left = Int(progress.secondsLeft.rounded(.up))
            line.show(
                "\(shown(progress.last.name)): checked \(progress.done) of \(progress.all), about \(left) s left",
                seconds: progress.seconds)
        }
    }

    /// Of the binaries, as they are before they are checked. Without a hash the results are reported and not kept.
    private func hashes(of plugins: [InstalledPlugin]) -> [String: String] {
        do {
            return try BinaryHash.all(of: plugins.map(\.binary))
        } catch {
            StandardError.complain("what this check finds is not kept: \(error)")
            return [:]
        }
    }

    private func keep(_ results: [PluginResult], _ hashes: [String: String]) {
        let date = "\(WallClock.text(WallClock.nanoseconds()).prefix(19))Z"
        do {
            try KeptChecks.keep(
                results.compactMap { result in
                    hashes[result.binary].flatMap { KeptCheck(result, hash: $0, date: date) }
                })
        } catch {
            StandardError.complain("what this check found is not kept: \(Failure.from(error).message)")
        }
    }
}

extension PluginSearchError: EndsCommand {
    package var failure: Failure {
        switch self {
        case .notFound(let text): Failure(.noInput, shown(text))
        case .unreadable(let text): Failure(.badInput, shown(text))
        case .interrupted: Failure(.interrupted, "interrupted")
        }
    }
}

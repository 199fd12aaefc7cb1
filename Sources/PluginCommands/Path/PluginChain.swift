import AudioFigures
import AudioIO
import AudioPlugins
import TerminalPages
import Threads

/// The plug-ins of a run as nodes in a row.
package final class PluginChain {
    /// In the order of the path.
    package let nodes: [Plugin]
    private let choices: [PluginChoice]
    /// Who made the unit late so far.
    private var lateness: PluginLateness
    private var latencies: PluginLatencies
    /// What was refused to each, in sentences.
    private var refusals: [[String]]
    /// Sentences of latencies and refusals that `look` has not returned yet.
    private var news: [String] = []

    /// Without a plug-in.
    package static var none: PluginChain { PluginChain([], []) }

    init(_ choices: [PluginChoice], _ nodes: [Plugin]) {
        (self.choices, self.nodes) = (choices, nodes)
        lateness = PluginLateness(count: nodes.count)
        latencies = PluginLatencies(nodes.map(\.latencyFrames))
        refusals = nodes.map { _ in [] }
    }

    /// Puts them behind a node that leads to nothing else of the path.
    ///
    /// - Returns: the last of the row, which leads nowhere: the node itself where there is no plug-in.
    /// - Throws: as `Engine.connect`.
    package func connect(behind node: any Node, in engine: Engine) throws -> any Node {
        var last = node
        for plugin in nodes {
            engine.attach(plugin)
            try engine.connect(last, to: plugin)
            last = plugin
        }
        return last
    }

    /// Each with what stands before the names of its parameters.
    package var effects: [(path: String, node: any Node)] {
        nodes.enumerated().map { ("plugin/\($0 + 1)/", $1) }
    }

    /// How much later the sound leaves the last than it came to the first, as they tell.
    package var latencyFrames: Int { nodes.reduce(0) { $0 + $1.latencyFrames } }
    /// Samples that were no numbers, and became silence.
    package var nonFiniteSamples: UInt64 { nodes.reduce(0) { $0 + $1.nonFiniteSamples } }
    /// Why the sound goes by one of them.
    package var failure: PluginError? { nodes.lazy.compactMap(\.failure).first }

    /// As the options that they came from, as they stand.
    package var words: [String] { zip(choices, nodes).map { $0.word($1) } }
    package var reports: [PluginReport] {
        note()
        return nodes.enumerated().map { place, plugin in
            let run = plugin.longestRun
            return PluginReport(
                uri: plugin.info.uri, name: plugin.info.name, setting: choices[place].word(plugin),
                instances: plugin.instanceCount, latencyFrames: plugin.latencyFrames,
                latencyChanges: latencies.changes[place], nonFiniteSamples: plugin.nonFiniteSamples,
                lostMessages: plugin.lostMessages, longestRunMilliseconds: Double(run.nanoseconds) / 1e6,
                longestRunShare: run.share, timesLate: lateness.counts[place], refusals: refusals[place])
        }
    }

    /// Looks whether the unit was late, and who took the time; whether one of them tells another latency, and what was
    /// refused to it. To be called every tenth of a second. Thread: control.
    ///
    /// - Parameter unit: how often it was late so far. Not asked where there is no plug-in.
    /// - Returns: a sentence for each, where a plug-in is named for the first time.
    package func look(_ unit: @autoclosure () -> UnitLateness) -> [String] {
        guard !nodes.isEmpty else { return [] }
        note()
        var sentences = news
        news = []
        let runs = nodes.map { $0.takeRecentRun() }
        if let culprit = lateness.note(runs, unit(), atNanoseconds: MonotonicClock.nanoseconds()),
            lateness.counts[culprit.place] == 1
        {
            sentences.append(words(culprit))
        }
        return sentences
    }

    /// From here on counts who makes the unit late: what was before is a warm-up.
    ///
    /// - Parameter unit: as of `look`.
    package func beginCounting(_ unit: UnitLateness) {
        for plugin in nodes { plugin.forgetRuns() }
        lateness = PluginLateness(count: nodes.count, unit)
    }

    /// A report may be asked for before the next look, as a conversion's and those of OSC are.
    private func note() {
        for (place, plugin) in nodes.enumerated() {
            let refused = plugin.takeRefusals()
            refusals[place] += refused
            news += refused
            guard let frame = plugin.takeLatencyChange(),
                let sentence = latencies.note(
                    place, plugin.info.shown, frame: frame, latencyFrames: plugin.latencyFrames,
                    atNanoseconds: MonotonicClock.nanoseconds())
            else { continue }
            news.append(sentence)
        }
    }

    /// What is to be seen of them in a live view; `nil` for nothing.
    package var trouble: String? { trouble(atNanoseconds: MonotonicClock.nanoseconds()) }

    /// What lasts comes first: what was refused to one of them, as one that is bypassed. Then which tells another latency, and
    /// which made the unit late, for a while each: the next one is to be seen as well, and reports keep them all.
    func trouble(atNanoseconds now: UInt64) -> String? {
        func isNew(_ nanoseconds: UInt64) -> Bool { now < nanoseconds + Self.newsNanoseconds }
        let latency = latencies.last.flatMap { isNew($0.nanoseconds) ? $0.words : nil }
        let late = lateness.last.flatMap { isNew($0.nanoseconds) ? words($0) : nil }
        return refusals.lazy.compactMap(\.last).first ?? latency ?? late
    }

    private func words(_ culprit: PluginLateness.Culprit) -> String {
        culprit.words(nodes[culprit.place].info.shown)
    }

    private static let newsNanoseconds: UInt64 = 10_000_000_000

    /// What each keeps beside its parameters, in the order of the path; `nil` for nothing.
    ///
    /// - Returns: the states as Turtle, and which could not be had, by its place from 0, and why. Thread: control, while sound
    ///   goes on.
    package func takeStates() -> (states: [String?], flaws: [(place: Int, reason: String)]) {
        var states: [String?] = []
        var flaws: [(place: Int, reason: String)] = []
        for (place, plugin) in nodes.enumerated() {
            do throws(PluginError) {
                states.append(try plugin.ownState())
            } catch {
                states.append(nil)
                flaws.append((place, error.description))
            }
        }
        return (states, flaws)
    }

    /// What they have logged since the last call, with the name of each.
    package func takeNotices() -> [String] {
        nodes.flatMap { plugin in
            plugin.takeNotices().suffix(Self.mostNotices).map { "\(plugin.info.shown) says: \($0)" }
        }
    }

    /// Shows what they have logged, and what was refused since the last look. Once, when nothing is rendered any more.
    package func tellNotices() {
        note()
        for notice in news + takeNotices() { StandardError.complain(notice) }
        news = []
    }

    /// A plug-in may log at any length.
    private static let mostNotices = 10
}

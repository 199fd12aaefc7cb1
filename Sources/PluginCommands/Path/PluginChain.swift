import AudioFigures
import AudioIO
import AudioPlugins
import AudioReports
import TerminalPages

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

    /// - Throws: see `PluginChoice.make`.
    convenience init(_ choices: [PluginChoice], channels: Int, sampleRate: Int) throws {
        self.init(choices, try choices.map { try $0.make(channels: channels, sampleRate: sampleRate) })
    }

    /// Without a plug-in.
    package static var none: PluginChain { PluginChain([], []) }

    private init(_ choices: [PluginChoice], _ nodes: [Plugin]) {
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
        let words = words
        return nodes.indices.map { place in
            PluginReport(
                nodes[place], words[place], timesLate: lateness.counts[place], latencies.changes[place],
                refusals: refusals[place])
        }
    }

    /// Looks whether the unit was late, and who took the time; whether one of them tells another latency, and what was
    /// refused to it. To be called every tenth of a second. Thread: control.
    ///
    /// - Parameter losses: how often it was late so far.
    /// - Returns: a sentence for each, where a plug-in is named for the first time.
    package func look(losses: UInt64) -> [String] {
        note()
        var sentences = news
        news = []
        if !nodes.isEmpty, let place = lateness.note(nodes.map { $0.takeRecentRun() }, losses: losses),
            lateness.counts[place] == 1, let lateWords
        {
            sentences.append(lateWords)
        }
        return sentences
    }

    /// From here on counts who makes the unit late: what was before is a warm-up.
    ///
    /// - Parameter losses: as of `look`.
    package func beginCounting(losses: UInt64) {
        for plugin in nodes { plugin.forgetRuns() }
        lateness = PluginLateness(count: nodes.count, losses: losses)
    }

    /// A report may be asked for before the next look, as a conversion's and those of OSC are.
    private func note() {
        for (place, plugin) in nodes.enumerated() {
            let refused = plugin.takeRefusals()
            refusals[place] += refused
            news += refused
            guard let frame = plugin.takeLatencyChange(),
                let sentence = latencies.note(
                    place, plugin.info.shown, frame: frame, latencyFrames: plugin.latencyFrames)
            else { continue }
            news.append(sentence)
        }
    }

    /// What is to be seen of them in a live view: who made the unit late last, told another latency, or was refused
    /// something; `nil` for nothing.
    package var trouble: String? { lateWords ?? latencies.words ?? refusals.lazy.compactMap(\.last).first }

    /// Who made the unit late last, in words; `nil` where nobody did.
    private var lateWords: String? {
        lateness.last.map { place, run in
            "the unit was late: \(nodes[place].info.shown), plug-in \(place + 1), took \(fixed(Double(run.nanoseconds) / 1e6, 1)) ms "
                + "of a period of \(fixed(Double(run.periodNanoseconds) / 1e6, 1)) ms; use a longer period, or leave it out"
        }
    }

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

extension PluginReport {
    /// - Parameters:
    ///   - word: as the option has it.
    ///   - timesLate: how often it was named.
    ///   - changes: of its latency.
    ///   - refusals: in sentences.
    init(_ plugin: Plugin, _ word: String, timesLate: Int, _ changes: [LatencyChange], refusals: [String]) {
        let run = plugin.longestRun
        self.init(
            uri: plugin.info.uri, name: plugin.info.name, setting: word, instances: plugin.instanceCount,
            latencyFrames: plugin.latencyFrames, latencyChanges: changes, nonFiniteSamples: plugin.nonFiniteSamples,
            lostMessages: plugin.lostMessages, longestRunMilliseconds: Double(run.nanoseconds) / 1e6,
            longestRunShare: run.share, timesLate: timesLate, refusals: refusals)
    }
}

/// Which plug-in's `run` took the time when the unit was late: a pure function of the longest runs and of the count of losses.
struct PluginLateness {
    /// How often each was named, in the order of the path.
    private(set) var counts: [Int]
    /// Who was named last, by its place, and its run.
    private(set) var last: (place: Int, run: PluginRunTime)?
    /// Before the last look: JACK tells of a late cycle some time after it.
    private var earlier: [PluginRunTime?]
    private var knownLosses: UInt64

    /// Who took less of a period has not made the unit late.
    private static let leastShare = 0.5

    /// - Parameter losses: how often the unit was late before.
    init(count: Int, losses: UInt64 = 0) {
        knownLosses = losses
        counts = Array(repeating: 0, count: count)
        earlier = Array(repeating: nil, count: count)
    }

    /// Looks at what has happened since the last call, a tenth of a second ago or so.
    ///
    /// - Parameters:
    ///   - runs: the longest of each since then.
    ///   - losses: how often the unit was late so far.
    /// - Returns: the place of the plug-in that is named now; `nil` where the unit was not late, or none of them took the time.
    mutating func note(_ runs: [PluginRunTime], losses: UInt64) -> Int? {
        let isLate = losses > knownLosses
        knownLosses = losses
        let window = zip(earlier, runs).map { before, now in
            before.map { $0.share > now.share ? $0 : now } ?? now
        }
        earlier = runs
        guard isLate, let place = window.indices.max(by: { window[$0].share < window[$1].share }),
            window[place].share >= Self.leastShare
        else { return nil }
        // What explains this loss explains no later one.
        earlier = Array(repeating: nil, count: counts.count)
        counts[place] += 1
        last = (place, window[place])
        return place
    }
}

/// The latencies that the plug-ins of a run tell, and where they told others: a recording leaves out what they were late at its start,
/// and nothing more.
struct PluginLatencies {
    /// In the order of the path; of each the first ones.
    private(set) var changes: [[PluginReport.LatencyChange]]
    /// What the last change was, in words; `nil` where there was none.
    private(set) var words: String?
    private var latencies: [Int]

    /// - Parameter latencies: as they began.
    init(_ latencies: [Int]) {
        self.latencies = latencies
        changes = Array(repeating: [], count: latencies.count)
    }

    /// Notes that a plug-in tells another latency.
    ///
    /// - Parameters:
    ///   - place: in the path, from 0.
    ///   - frame: of its input.
    /// - Returns: a sentence, where it is this one's first.
    mutating func note(_ place: Int, _ name: String, frame: Int, latencyFrames: Int) -> String? {
        let before = latencies[place]
        guard latencyFrames != before else { return nil }
        latencies[place] = latencyFrames
        let change = latencyFrames - before
        let sentence =
            "\(name), plug-in \(place + 1), is \(latencyFrames) frames late since frame \(frame) of its input, and was \(before) before: "
            + "what is recorded or sent from there on is \(abs(change)) frames \(change > 0 ? "later" : "earlier")"
        words = sentence
        if changes[place].count < PluginReport.LatencyChange.most {
            changes[place].append(PluginReport.LatencyChange(frame: frame, latencyFrames: latencyFrames))
        }
        return changes[place].count == 1 ? sentence : nil
    }
}

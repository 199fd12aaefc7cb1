import AudioIO
import AudioRealtime
import AudioRecording
import AudioReports
import CommandSyntax
import ServerRuns

/// What is asked for of one part of a live run: read from the words, before anything is opened.
package protocol PartOptions {
    associatedtype Part: RunPart
    /// Its options, and the heading that they stand below.
    static var group: OptionGroup { get }

    /// - Returns: `nil` where the part is not asked for.
    init?(_ arguments: Arguments) throws(Failure)
    /// Whether it writes sound to the standard output, so that nothing else can go there.
    var usesOutput: Bool { get }
    /// Says what the unit must have for it, and finds out whether that can be had.
    ///
    /// - Parameters:
    ///   - configuration: of the unit, with all that the words say of it.
    ///   - server: as far as it is known.
    mutating func prepare(_ configuration: inout EngineConfiguration, on server: ServerOptions) throws(Failure)
    /// Takes what others may have: a port, a file that is read.
    ///
    /// - Parameters:
    ///   - inputs, outputs: the unit's channels.
    func open(inputs: Int, outputs: Int) throws -> Part
}

/// A capability that each live run can have beside its own work, as control by OSC, a page, a click: its controls, its words in
/// the view, its figures in the report, its end. A new one is a file with such a type, and its name in `LiveParts.kinds`.
///
/// Thread: control. It is part of the run's loop: `work` does what has come and what is due, and never waits.
package protocol RunPart: AnyObject {
    associatedtype Report: PartReport

    /// Tells the part where the sound enters: `sources` are connected to `target`.
    func connect(from sources: [any Node], to target: any Node, in engine: Engine) throws
    /// Puts its node into the path of the sound.
    ///
    /// - Returns: what comes out there: the node that it was given, where it has none.
    func connect(behind node: any Node, in engine: Engine) throws -> any Node
    /// The engine is built, and nothing runs yet: what is to hear its first frame begins. Last of all that can fail.
    func begin(_ run: EngineRun) throws
    var controls: [Control] { get }
    /// What OSC can read of it, and not set.
    var figures: [OSCFigure] { get }
    /// The unit is in the graph.
    func start(_ session: any LiveSession) throws
    /// What wakes the run, where something has come there.
    var sockets: [CInt] { get }
    /// In seconds, until something is due; infinity where nothing is.
    var pauseSeconds: Double { get }
    func work(_ moment: RunMoment)
    /// For people: what there is, and what came.
    var words: [String] { get }
    /// The same for a line of a log.
    var logWords: [String] { get }
    /// Where it sends the sound: lines of the live view.
    var targets: [TargetScene] { get }
    /// What is to be said where it does not do all that one may expect.
    var notices: [String] { get }
    /// What went wrong while the sound went on, and how much that weighs.
    var trouble: Failure? { get }
    var troubleRank: TroubleRank { get }
    var recorders: [Recorder] { get }
    /// Of now or of the whole run; `nil` where there is nothing to tell.
    var report: Report? { get }
    /// Notes what the report tells of the end, before the unit leaves the graph.
    func noteEnd()
    /// Saves what can be saved where nothing else can be ended any more. It may be called twice. Thread: any.
    ///
    /// - Parameter end: when the run ended, where it had no server by then.
    func save(withoutServerUntil end: UInt64?)
    /// It is saved, and nothing more comes.
    func finish()
    /// Nothing was heard: nothing is left behind.
    func abandon()
}

extension RunPart {
    package func connect(from sources: [any Node], to target: any Node, in engine: Engine) {}
    package func connect(behind node: any Node, in engine: Engine) throws -> any Node { node }
    package func begin(_ run: EngineRun) throws {}
    package var controls: [Control] { [] }
    package var figures: [OSCFigure] { [] }
    package func start(_ session: any LiveSession) throws {}
    package var sockets: [CInt] { [] }
    package var pauseSeconds: Double { .infinity }
    package func work(_ moment: RunMoment) {}
    package var words: [String] { [] }
    package var logWords: [String] { words }
    package var targets: [TargetScene] { [] }
    package var notices: [String] { [] }
    package var trouble: Failure? { nil }
    package var troubleRank: TroubleRank { .sound }
    package var recorders: [Recorder] { [] }
    package func noteEnd() {}
    package func save(withoutServerUntil end: UInt64?) {}
    package func finish() {}
    package func abandon() {}
}

extension PartOptions {
    package var usesOutput: Bool { false }
    package func prepare(_ configuration: inout EngineConfiguration, on server: ServerOptions) throws(Failure) {}
}

/// What a trouble is about. Of several, a run ends with the first of these: what was not recorded nobody has any more, and what did
/// not sound was sent to nobody.
package enum TroubleRank: CaseIterable {
    case recording, sound, sending

    /// - Parameter trouble: what there is of each.
    package static func first(_ trouble: (Self) -> Failure?) -> Failure? { allCases.lazy.compactMap(trouble).first }
}

/// What a part has done: an object of the report.
package protocol PartReport: Reported {
    /// The name of its field in each report, and what that means.
    static var field: (name: String, meaning: String) { get }
    /// For people.
    var lines: [String] { get }
}

/// The time between callbacks in the last second, in milliseconds.
package struct ShownInterval: Encodable {
    package var shortest: Double
    package var mean: Double
    package var longest: Double
}

extension ShownInterval {
    /// `nil` where there were none.
    init?(_ window: IntervalWindow) {
        guard window.count > 0 else { return nil }
        self.init(
            shortest: Double(window.shortestNanoseconds) / 1e6, mean: window.meanNanoseconds / 1e6,
            longest: Double(window.longestNanoseconds) / 1e6)
    }
}

/// How it is with a run at one turn of its loop.
package struct RunMoment {
    /// Since its start.
    var elapsedSeconds: Double
    /// `nil` while there are no callbacks, as while the server is gone.
    var interval: ShownInterval?
    /// What keeps the sound from being what it should be.
    var trouble: String?
    /// Whether the live view is on the terminal. Without it, a part writes what happens to stderr.
    var isShown = false
}

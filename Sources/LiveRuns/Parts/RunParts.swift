import AudioIO
import AudioRecording
import AudioReports
import CommandSyntax

/// The parts that a run has beside its own work.
///
/// Thread: control.
package final class RunParts {
    /// Whether one of them writes sound to the standard output.
    package let useOutput: Bool
    private let all: [any RunPart]
    private var controlTable: ControlTable?

    /// Takes what they need of the machine, in their order.
    ///
    /// - Parameters:
    ///   - inputs, outputs: the unit's channels.
    package init(_ choices: PartChoices, inputs: Int, outputs: Int) throws {
        useOutput = choices.useOutput
        all = try choices.all.map { try $0.open(inputs: inputs, outputs: outputs) }
    }

    /// One of them; `nil` where it was not asked for.
    package subscript<Part: RunPart>(_: Part.Type) -> Part? { all.lazy.compactMap { $0 as? Part }.first }

    /// Tells them where the sound enters.
    package func connect(from sources: [any Node], to target: any Node, in engine: Engine) throws {
        for part in all { try part.connect(from: sources, to: target, in: engine) }
    }

    /// Puts their nodes into the path of the sound, one behind the other.
    package func connect(behind node: any Node, in engine: Engine) throws -> any Node {
        try all.reduce(node) { try $1.connect(behind: $0, in: engine) }
    }

    /// Begins with what is to hear the first frame; leaves nothing behind where one of them cannot.
    package func begin(_ run: EngineRun) throws {
        do {
            for part in all { try part.begin(run) }
        } catch {
            abandon()
            throw error
        }
    }

    package var controls: [Control] { all.flatMap(\.controls) }
    var figures: [OSCFigure] { all.flatMap(\.figures) }

    /// Begins to act on what comes.
    func start(_ session: some LiveSession) throws {
        controlTable = session.controls
        for part in all { try part.start(session) }
    }

    /// What wakes the run, where something has come there.
    var sockets: [CInt] { all.flatMap(\.sockets) }
    /// In seconds, until something is due; infinity where nothing is.
    var pauseSeconds: Double { all.map(\.pauseSeconds).min() ?? .infinity }
    /// Whether they end the waits of the run's loop more often than people read.
    var areBusy: Bool { !sockets.isEmpty || pauseSeconds < .infinity }

    func work(_ moment: RunMoment) {
        controlTable?.tell()
        for part in all { part.work(moment) }
    }

    /// For people: what there is, and what came.
    package var words: [String] { all.flatMap(\.words) }
    /// The same for a line of a log.
    package var logWords: [String] { all.flatMap(\.logWords) }
    package var targets: [TargetScene] { all.flatMap(\.targets) }

    /// What is to be said where they do not do all that one may expect.
    package var notices: [String] { all.flatMap(\.notices) }
    /// Why the last change of a control could not be made.
    var refusal: String? { controlTable?.refusal }
    /// For the live view: why a control could not be changed, which is soon over, what of a recording is not as it was to be, or
    /// what else went wrong.
    var shownTrouble: String? {
        refusal ?? (recorders.flatMap(\.notices).first?.words ?? TroubleRank.first(trouble)?.message).map(shown)
    }
    func trouble(_ rank: TroubleRank) -> Failure? {
        all.lazy.filter { $0.troubleRank == rank }.compactMap { $0.trouble }.first
    }
    package var recorders: [Recorder] { all.flatMap(\.recorders) }

    // The end: see `RunPart`.

    func noteEnd() { for part in all { part.noteEnd() } }
    func save(withoutServerUntil end: UInt64?) { for part in all { part.save(withoutServerUntil: end) } }
    func finish() { for part in all { part.finish() } }
    func abandon() { for part in all { part.abandon() } }

    package func report<List: PartList>() -> PartsReport<List> { PartsReport(all) }
}

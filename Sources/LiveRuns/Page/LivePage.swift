import AudioDSP
import AudioFigures
import AudioMetering
import AudioReports
import AudioStreaming
import CommandSyntax
import Synchronization
import TerminalPages

/// A page beside a live run: its server, what is looked at for it, and what it asks for.
package final class LivePage: RunPart {
    let server: PageServer
    private let options: PageOptions
    private let wishes: Wishes
    let sound = SoundTrail(columnsPerSecond: SoundScope.columnsPerSecond)
    let output: PeakLevels
    let input: PeakLevels
    let analyzer = SpectrumAnalyzer(frames: SoundScope.spectrumFrames)
    private(set) var losses = LossHistory()
    private var served: ServedNode?
    /// Of a token that was made and is not to be printed.
    private let tokenFile: TokenFile?
    private weak var session: (any LiveSession)?
    private var nextScene = 0.0
    private var nextStatus = 0.0
    private var elapsedSeconds = 0.0
    private var lastScene: LiveScene?

    /// What listeners with the token have asked for, until the loop takes it.
    private final class Wishes: Sendable {
        let all = Mutex(PageWishes())
        /// What can be set, by name.
        let known = Mutex<[String: ParameterInfo]>([:])
    }

    /// Between two scenes.
    private static let paceSeconds = 0.04

    init(_ options: PageOptions, inputs: Int, outputs: Int) throws {
        self.options = options
        let wishes = Wishes()
        self.wishes = wishes
        server = try PageServer(options.completeConfiguration()) { wish throws(StreamError) in
            let wish = try wish.checked(wishes.known.withLock { $0 })
            try wishes.all.withLock { all throws(StreamError) in try all.add(wish) }
        }
        let isMade = options.tokenSource == nil && server.configuration.token != nil
        tokenFile = isMade && !StandardError.isTerminal ? try server.configuration.token.map { try TokenFile($0) } : nil
        output = PeakLevels(channels: outputs)
        input = PeakLevels(channels: inputs)
    }

    /// Begins to look and to be heard.
    package func start(_ session: any LiveSession) throws {
        self.session = session
        wishes.known.withLock { known in
            known = Dictionary(uniqueKeysWithValues: session.controls.all.map { ($0.name, $0.info) })
        }
        let engine = session.run.engine
        let (sound, output, input) = (sound, output, input)
        try engine.watch(engine.output, frames: SoundScope.columnFrames(engine.sampleRate)) { buffer, time in
            output.add(buffer)
            sound.add((0..<buffer.channels).map { buffer[$0] }, sampleRate: time.sampleRate)
        }
        try session.tapInputs { input.add($0) }
        served = try engine.serve(engine.output, on: server)
        StandardError.complain("the page is at \(place)")
    }

    /// Until the next scene is due, where anybody looks.
    package var pauseSeconds: Double { server.figures.viewers > 0 ? max(0, nextScene - elapsedSeconds) : .infinity }

    /// Does what was asked for on it, and hands it what it shows.
    package func work(_ moment: RunMoment) {
        elapsedSeconds = moment.elapsedSeconds
        guard let session, elapsedSeconds >= nextScene else { return }
        nextScene = elapsedSeconds + Self.paceSeconds
        // If a change fails, the next scene says why.
        for wish in wishes.all.withLock({ $0.take() }) {
            try? session.controls.set(wish.name, wish.value, by: .page)
        }
        let statistics = session.run.unit.statistics
        losses.update(xruns: statistics.xruns, lostNanoseconds: statistics.settledLostNanoseconds, at: elapsedSeconds)
        var moment = moment
        if moment.trouble == nil { moment.trouble = session.presentTrouble.map { shown($0.message) } }
        // One who comes is shown the scene before at first, and the peaks since then: neither is older than a second.
        if server.figures.viewers > 0 || elapsedSeconds >= nextStatus { show(LiveScene(session, self, moment)) }
        publish(session, moment)
    }

    private func show(_ scene: LiveScene) {
        lastScene = scene
        // Numbers and texts always have a form in JSON: levels that are none are null.
        if let text = try? encodeJSON(ShownLive(scene: scene)) { server.show(text) }
    }

    /// Answers with newer figures, once a second.
    private func publish(_ session: any LiveSession, _ moment: RunMoment) {
        guard elapsedSeconds >= nextStatus else { return }
        nextStatus = elapsedSeconds + 1
        session.run.noteProgress()
        let report = session.status()
        guard let status = try? encodeJSON(report) else { return }
        var metrics = MetricsExposition()
        report.expose(to: &metrics)
        let (engine, unit) = (session.run.engine, session.run.unit)
        if moment.interval != nil {
            metrics.add("load_ratio", .gauge, unit: "ratio", "JACK's load: 1 is all of the period", unit.dspLoad)
        }
        let isSounding = [.running, .freewheeling, .paused].contains(engine.state)
        let health = isSounding ? nil : moment.trouble ?? "the unit is \(engine.state.name)"
        server.publish(status: status, metrics, health: health)
    }

    /// Where it is, with the token for who sits at the terminal. Elsewhere a journal keeps what is printed, and more people
    /// read it: there it says where the token is.
    private var place: String {
        let source = tokenFile.map { shown($0.path) } ?? options.tokenSource?.place
        guard server.configuration.token != nil, !StandardError.isTerminal, let source else { return address }
        return "\(address), with the token in \(source)"
    }

    private var address: String {
        guard let token = server.configuration.token, StandardError.isTerminal else { return server.url }
        return "\(server.url)#token=\(token.revealed)"
    }

    package var words: [String] { ["page \(address)  \(counted(server.figures.listeners, "listener"))"] }

    package var report: PageReport? {
        PageReport(address: server.url, figures: server.figures, droppedFrames: served?.droppedFrames ?? 0)
    }

    /// Removes the token also where the JACK server does not answer, so that `finish` is never called.
    package func save(withoutServerUntil end: UInt64?) { tokenFile?.remove() }

    package func abandon() { finish() }

    /// What waits goes out to listeners that take it in time, and to pages that this was the end.
    package func finish() {
        if var scene = lastScene {
            (scene.state, scene.trouble) = ("ended", Nullable(nil))
            show(scene)
        }
        if !server.stop(within: 1) {
            StandardError.complain(
                "the page's thread has not ended within some seconds; it is left to itself, and ends with this program")
        }
        tokenFile?.remove()
    }
}

/// To a tenth, as nobody reads more.
func tidy(_ value: Double) -> Double { value.isFinite ? (value * 10).rounded() / 10 : 0 }

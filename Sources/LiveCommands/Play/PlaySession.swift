import AudioFiles
import AudioRecording
import AudioReports
import CommandSyntax
import Jack
import LiveRuns
import TerminalPages
import Threads

/// One run of an engine that plays files.
final class PlaySession: LiveSession {
    let unit: UnitRun
    private(set) lazy var controls = ControlTable(unit.controls + ownControls + run.controls)
    let player: Player
    private(set) var queue: PlayQueue
    /// What the transport plays; `nil` where the list is played by itself.
    private let transport: TransportPlay?
    let outputs: Int
    let options: PlayOptions
    /// The engine's frame at which the first sound was heard.
    private var startFrame: UInt64?
    private var isAccounted = false

    /// - Parameters:
    ///   - entries: checked.
    ///   - outputs: ports.
    init(_ options: PlayOptions, _ entries: [PlayedEntry], outputs: Int, server: Server?) throws {
        self.options = options
        self.outputs = outputs
        player = Player(channels: outputs)
        unit = try UnitRun(options.unit, on: server, from: player, channels: outputs)
        let (run, parts) = (unit.run, unit.parts)
        for entry in entries where !StreamConverter.canConvert(from: entry.sampleRate, to: run.facts.sampleRate) {
            throw Failure(
                .badInput,
                "cannot play \(shown(entry.path)): its sample rate is \(entry.sampleRate) hertz and the server's "
                    + "\(run.facts.sampleRate); convert it before")
        }
        if options.followsTransport, let entry = entries.first(where: { $0.seconds == nil }) {
            throw Failure(
                .badInput,
                "cannot play \(shown(entry.path)) with the transport: its header does not tell its length; convert it before",
                of: "transport")
        }
        transport = options.followsTransport ? TransportPlay(entries, player, run.engine) : nil
        let seed = options.shuffles ? UInt64.random(in: 0 ... .max) : nil
        queue = PlayQueue(
            entries, Playlist(count: entries.count, isLooping: options.loops, seed: seed), player,
            isFreewheeling: options.unit.server.freewheels)
        if options.unit.server.freewheels {
            parts[SideRecorder.self]?.follow(player, latencyFrames: run.engine.latencyFrames)
        }
        try parts.begin(run)
    }

    func start() throws {
        // A freewheeling server would be at the end of one file before it heard of the next: it has the whole list at once.
        player.isPaused = options.unit.server.freewheels
        if player.isPaused { queue.schedule() }
        defer { player.isPaused = false }
        var warnings = queue.entries.flatMap { entry in
            var warnings = entry.warnings
            if let mix = entry.source?.downMix { warnings.append("its \(mix.clause(onto: "out", "output"))") }
            return warnings.map { "\(entry.name): \($0)" }
        }
        if let seconds = queue.tooShortSeconds {
            warnings.append(
                "files of \(fixed(seconds * 1000, 1)) ms follow each other too quickly, and silence comes between some; "
                    + "make them longer, as with sox in.wav out.wav repeat 99")
        }
        try unit.start(warnings: warnings)
        if let refusal = player.refusal { throw refusal }
    }

    /// Schedules what comes; returns what begins to be heard.
    func work() -> [(entry: PlayedEntry, number: Int)] {
        defer { if startFrame == nil { startFrame = player.firstPosition } }
        return transport?.takeBegun() ?? queue.work()
    }

    /// What is heard, or begins next; `nil` where nothing is.
    var current: (entry: PlayedEntry, number: Int, seconds: Double)? {
        if let transport { return transport.current }
        return queue.current.map { ($0.entry, $0.number, $0.playback.seconds) }
    }

    /// Whether the transport is what keeps the sound from going on.
    var isStopped: Bool { transport.map { !$0.isRolling } ?? false }

    /// Whether all has been played and has left the unit.
    var isHeardThrough: Bool {
        guard transport == nil, queue.isOver, !player.isPlaying else { return false }
        guard let end = player.endPosition else { return true }
        // The server plays a period while it asks for the next.
        return run.engine.position >= end + UInt64(run.engine.latencyFrames + 2 * run.facts.periodFrames)
    }

    /// Fades out what is heard, which takes 10 ms, where the server lets it.
    func fadeOut() {
        guard run.engine.state == .running else { return }
        player.isPaused = true
        let frames = run.facts.sampleRate / 100 + 3 * run.facts.periodFrames + run.engine.latencyFrames
        let end = run.engine.position + UInt64(frames)
        let deadline = MonotonicClock.nanoseconds() + 1_000_000_000
        while run.engine.position < end, MonotonicClock.nanoseconds() < deadline {
            MonotonicClock.sleep(milliseconds: 2)
        }
    }

    // Keys, and what changes it from outside.

    private var ownControls: [Control] {
        var controls: [Control] = [
            .flag(
                "pause", "the sound stands still", isUndoable: false,
                get: { [unowned self] in player.isPaused || isStopped }, set: { [unowned self] in pause($0) }),
            .action("next", "the next file; after the last, the end") { [unowned self] in if !skip() { run.end() } },
            .action("previous", "the file before; the first one again from its start") { [unowned self] in goBack() },
        ]
        if transport == nil, queue.canLoop {
            controls.append(
                .flag(
                    "loop", "the whole list again and again", isUndoable: false,
                    get: { [unowned self] in queue.playlist.isLooping },
                    set: { [unowned self] in if $0 != queue.playlist.isLooping { toggleLoop() } }))
        }
        return controls
    }

    var figures: [OSCFigure] {
        run.figures { [unowned self] in presentTrouble } + [
            OSCFigure("file", "what is heard, or begins next; empty for nothing") { [unowned self] in
                [.text(current?.entry.name ?? "")]
            },
            OSCFigure("position", "in the file, in s") { [unowned self] in [.float(Float(current?.seconds ?? 0))] },
        ]
    }

    /// Goes back or on in what is heard.
    func seek(by seconds: Double) {
        if let transport { return transport.seek(by: seconds) }
        guard let current = queue.current else { return }
        player.seek(toSeconds: current.playback.seconds + seconds)
    }

    /// Returns whether there is a next file.
    func skip() -> Bool {
        guard let transport else { return queue.skip() }
        transport.skip()
        return true
    }
    func goBack() { if let transport { transport.goBack() } else { queue.goBack() } }
    func toggleLoop() { if transport == nil { queue.toggleLoop() } }
    func togglePause() { pause(!(player.isPaused || isStopped)) }
    /// The transport stops a cycle later: whether it has is not looked at, so that of two requests the last one counts.
    private func pause(_ isWanted: Bool) {
        if let transport { transport.roll(!isWanted) } else { player.isPaused = isWanted }
    }

    // What is shown.

    /// What plays of each file, and is not in its account yet.
    var playing: [ObjectIdentifier: [Playback]] { transport?.playing ?? queue.playing }

    var words: [String] {
        guard let (entry, number, seconds) = current else { return [waiting].compactMap(\.self) }
        let place = queue.entries.count > 1 ? "\(number) of \(queue.entries.count): " : ""
        let length = entry.seconds.map { " of \(clock(options.start + $0))" } ?? ""
        return ["\(place)\(shown(entry.name))", words(of: entry), clock(seconds) + length]
    }

    /// The format of a file, and what becomes of it.
    func words(of entry: PlayedEntry) -> String {
        let rate = run.facts.sampleRate
        let mix = entry.channels > outputs ? " mixed down to \(outputs)" : ""
        return [
            shown(entry.formatWords),
            "\(entry.sampleRate) Hz" + (entry.sampleRate == rate ? "" : " played at \(rate) Hz"),
            counted(entry.channels, "channel") + mix,
        ].joined(separator: ", ")
    }

    /// What is to be said where a pipe is waited for.
    var waiting: String? {
        transport == nil && queue.current == nil && queue.entries.contains { !$0.isReady }
            ? "waiting for the pipe" : nil
    }

    // The end.

    /// What was heard is accounted for, also where the end is not waited for any more.
    func save() {
        guard !isAccounted else { return }
        isAccounted = true
        queue.finish()
        transport?.finish()
    }

    func finish() {
        save()
        for entry in queue.entries { entry.pipe?.abandon() }
    }

    func abandon() { finish() }

    /// The first failure; where there is none, the first broken file. Of a broken file the part that can be read is played.
    func ownTrouble(_ rank: TroubleRank, isOver: Bool) -> Failure? {
        guard rank == .sound else { return nil }
        // In the order of the list.
        let failure = (queue.entries.lazy.compactMap(\.failure).first ?? player.failure)?.failure
        if let failure = failure ?? plugins.failure?.failure { return failure }
        guard isOver, let broken = queue.entries.first(where: { !$0.warnings.isEmpty }) else { return nil }
        return Failure(.badInput, "\(broken.name) is broken; what can be read of it was played")
    }

    func report() -> PlayReport { PlayReport(self, startFrame: startFrame) }
}

import CommandSyntax
import Glibc
import LiveRuns
import TerminalPages

/// A run of `monitor` or `serve` under a session manager: saves itself when asked to, and tells whether it has changed.
///
/// Thread: control. It is part of the run's loop.
final class ManagedSession {
    let manager: SessionManager
    let project: SessionManager.Project
    private let file: SavedSession
    private let subcommand: String
    private let given: [(name: String, value: String)]
    private var hasBegun = false
    private weak var run: MonitorSession?
    /// What the run is asked to be, while it waits for its ports.
    private var awaited: MonitorOptions?
    private var savedText: String?
    private var isDirty = false
    private var mayBeDirty = true
    private var toldTrouble: String?

    init(
        _ manager: SessionManager, _ project: SessionManager.Project, _ file: SavedSession, subcommand: String,
        given: [(name: String, value: String)]
    ) {
        (self.manager, self.project, self.file) = (manager, project, file)
        (self.subcommand, self.given) = (subcommand, given)
    }

    /// The run waits for its ports, which may come with another program of the session: for the manager the project is open.
    /// To be called again and again; does what the manager asks for.
    ///
    /// - Throws: as `begin`.
    func wait(for options: MonitorOptions, _ notice: String) throws {
        if awaited == nil {
            awaited = options
            try open("\(subcommand) waits for its ports as \(project.clientName)")
        }
        serve(trouble: notice)
    }

    /// The run has begun: what it is now is what was opened.
    ///
    /// - Throws: where a new project cannot be made; the manager has been told.
    func begin(_ run: MonitorSession) throws {
        hasBegun = true
        self.run = run
        if awaited == nil {
            try open("\(subcommand) runs as \(project.clientName)")
        } else {
            savedText = try? text()
        }
        run.controls.observe { [weak self] control, _, _ in if control.info.isUndoable { self?.mayBeDirty = true } }
    }

    private func open(_ sentence: String) throws {
        let text = try? text()
        // A project that is new has nothing to lose: it is made now, as the API asks.
        if let text, unsafe access(file.path, F_OK) != 0 {
            do {
                try file.save(text)
            } catch {
                manager.refuse("/nsm/client/open", .createFailed, Failure.from(error).message)
                throw error
            }
        }
        savedText = text
        manager.reply(to: "/nsm/client/open", sentence)
        manager.tell(label: subcommand)
        manager.tell(isDirty: false)
    }

    /// Tells the manager why a run could not begin. Of one that had begun it tells nothing.
    func refuse(_ failure: Failure) {
        guard !hasBegun else { return }
        if awaited == nil {
            manager.refuse("/nsm/client/open", .general, failure.message)
        } else {
            // It was answered when the wait began.
            manager.tell(failure.message, priority: 3)
        }
    }

    /// Does what the manager has asked for, and tells it what has changed.
    func serve(trouble: String?) {
        for request in manager.takeRequests() {
            switch request {
            case .save: save()
            case .open:
                manager.refuse(
                    "/nsm/client/open", .notNow, "iounit takes no other project while it runs; end it first"
                )
            case .malformed(let address): manager.refuse(address, .general, "this is not understood")
            // Nothing here waits for the others.
            case .sessionIsLoaded: break
            }
        }
        if mayBeDirty {
            mayBeDirty = false
            let isChanged = (try? text()) != savedText
            if isChanged != isDirty { manager.tell(isDirty: isChanged) }
            isDirty = isChanged
        }
        if trouble != toldTrouble {
            toldTrouble = trouble
            manager.tell(trouble ?? "the sound is as it should be", priority: trouble == nil ? 1 : 3)
        }
    }

    private func save() {
        do {
            let text = try text()
            // A run that waits for its ports has those with which it is to begin: an older one may be another plug-in's.
            let states = run?.plugins.takeStates() ?? (states: awaited?.unit.plugins.states ?? [], flaws: [])
            try file.save(text, states: states.states, keeping: Set(states.flaws.map { $0.place }))
            for flaw in states.flaws { StandardError.complain(flaw.reason) }
            savedText = text
            if isDirty { manager.tell(isDirty: false) }
            isDirty = false
            manager.reply(to: "/nsm/client/save", "saved in \(file.path)")
        } catch {
            manager.refuse("/nsm/client/save", .general, Failure.from(error).message)
        }
    }

    private func text() throws -> String {
        var state = SavedSession.RunState()
        if let run {
            state = .init(
                setting: run.chain.effects.shaper.setting, bands: run.equaliser?.bands ?? [],
                effects: run.chain.effects.now,
                plugins: run.plugins.words, voice: run.parts[VoiceRun.self]?.word ?? VoiceChoice.none,
                parameters: run.parts.controls.map { ($0.info, $0.get()) })
        } else if let awaited {
            // How a run of these options begins.
            state = .init(
                setting: awaited.shaper, bands: awaited.equaliserBands, effects: awaited.effects,
                plugins: awaited.unit.plugins.words,
                voice: awaited.unit.parts[VoiceChoice.self]?.word ?? VoiceChoice.none)
        }
        return try file.text(subcommand: subcommand, given: given, state)
    }
}

import TerminalPages

/// What the live view of every run shows at one moment.
package struct RunScene {
    /// Facts about the server, in the order of their weight.
    package var title: [String]
    /// Of the outputs.
    package var meters: [LevelMeter]
    package var elapsedSeconds = 0.0
    /// Where it ends by the clock.
    var maximumSeconds: Double?
    package var xruns: UInt64 = 0
    package var lostMilliseconds = 0.0
    /// What it has beside its own work, and what came there.
    package var parts: [String] = []
    /// Where it is sent.
    package var targets: [TargetScene] = []
    /// Something that went wrong meanwhile, or is waited for.
    package var trouble: String?
}

extension RunWatch {
    /// - Parameter trouble: what is to be shown where the engine has none.
    package mutating func scene(trouble: @autoclosure () -> String?) -> RunScene {
        meters.update(from: run.engine.meters, time: elapsed)
        let statistics = run.unit.statistics
        return RunScene(
            title: run.title, meters: meters.all, elapsedSeconds: elapsed, maximumSeconds: seconds,
            xruns: statistics.xruns, lostMilliseconds: Double(statistics.lostNanoseconds) / 1e6, parts: parts.words,
            targets: parts.targets, trouble: self.trouble ?? trouble() ?? parts.shownTrouble)
    }
}

extension Page {
    /// The page of a run: in a low window what it does, and what is wrong, come first, then the meters, then the rest.
    ///
    /// - Parameters:
    ///   - state: what it does.
    ///   - picture: before the meters: of as many rows as it is asked for, or fewer.
    ///   - body: below the state: takes its lines from those that are left.
    ///   - figures: below the meters.
    ///   - keys: what the keys are for.
    package func lines(
        _ scene: RunScene, state: [String], picture: (Int) -> [String] = { _ in [] },
        body: (inout PageRoom) -> [String] = { _ in [] }, figures: [Part], keys: [String]
    ) -> [String] {
        let trouble = trouble(scene.trouble)
        var room = PageRoom(max(1, rows) - state.count - trouble.count)
        let pictureRows = max(0, min(8, room.lines - 1))
        let picture = room.take(pictureRows >= 2 ? picture(pictureRows) : [])
        let least = room.reserveMeters(scene.meters.count)
        let figures = room.take(flow(figures) + words(scene.parts))
        let body = body(&room)
        let targets = lines(scene.targets, room: room.lines)
        room.reserve(targets.count)
        let hasScale = room.takeLine()
        let title = room.take(title(scene.title) + [""])
        let keys = hasKeys ? room.take([""] + flow(keys.map { [($0, .dim)] })) : []
        let gap = room.take([""])
        let meters = lines(scene.meters, least: least, hasScale: hasScale, room)
        let parts = [title, state, trouble, picture, body, targets, gap, meters, figures, keys]
        return Array(parts.joined().prefix(max(1, rows)))
    }

    /// That it runs, how long it has, and when it ends by the clock.
    package func live(_ scene: RunScene, _ tint: Tint) -> [Part] {
        live(scene.elapsedSeconds, of: scene.maximumSeconds, tint)
    }

    package func losses(_ scene: RunScene) -> [Part] { losses(scene.xruns, scene.lostMilliseconds) }
}

import CommandSyntax

// What can be changed and read of every run of an engine.
extension EngineRun {
    package var controls: [Control] {
        [
            .action("resume", "go on, where a server came back") { [unowned self] in try resume() },
            .action("end", "end the run, with its report") { [unowned self] in end() },
        ]
    }

    /// What can be read, and not set.
    package func figures(trouble: @escaping () -> Failure?) -> [OSCFigure] {
        let (engine, unit) = (engine, unit)
        return [
            OSCFigure("state", "running, paused, interrupted, freewheeling, ready, failed or closed") {
                [.text(engine.state.name)]
            },
            OSCFigure("trouble", "what keeps the sound from being what it should be; empty for nothing") {
                [unowned self] in
                [.text(self.trouble ?? trouble()?.message ?? "")]
            },
            OSCFigure("load", "JACK's load in percent") { [.float(Float(unit.dspLoad) * 100)] },
        ] + OSCFigure.all { [unowned self] in RunCounts(self) }
            + plugins.nodes.indices.flatMap { place in
                // A symbol has no slash, so that no parameter has such a name.
                OSCFigure.all(in: "plugin/\(place + 1)/") { [unowned self] in plugins.reports[place] }
            }
            + OSCFigure.all { LevelReport(engine.meters, channels: engine.meters.channels) }
    }
}

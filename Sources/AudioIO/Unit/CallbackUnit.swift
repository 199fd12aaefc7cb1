import AudioRealtime

/// A unit in callback mode: a JACK client that renders an engine's nodes within the cycle.
final class CallbackUnit: GraphUnit {
    let client: UnitClient
    private let runner: Cell<PlanRunner>

    /// Allocates everything that the audio thread will need.
    init(_ configuration: EngineConfiguration, _ graph: EngineGraph) {
        runner = Cell(graph.makeRunner())
        client = unsafe UnitClient(configuration, graph, .plan(runner.pointer), keeping: runner)
    }

    deinit { stop() }

    func start(_ wiring: Wiring) throws(UnitError) {
        try client.start(wiring) { client in
            let run = TapRun(sampleRate: client.sampleRate, cause: wiring.runCause)
            let rampMilliseconds = self.client.configuration.rampMilliseconds
            // SAFETY: the client is not active yet, so the runner is ours; the unit keeps it until the close.
            unsafe self.client.graph.begin(sampleRate: client.sampleRate) { plan in
                unsafe runner.pointer.pointee.reset(plan, rampMilliseconds: rampMilliseconds, run: run)
            }
        }
    }

    func stop() { client.stop() }
}

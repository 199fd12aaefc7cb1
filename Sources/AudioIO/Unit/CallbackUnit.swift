import AudioRealtime
import Jack

/// A unit in callback mode: a JACK client that renders an engine's nodes within the cycle.
final class CallbackUnit: GraphUnit {
    let client: UnitClient
    private let audio: Cell<AudioSide>
    private let counters = Cell(RenderCounters())

    /// Allocates everything that the audio thread will need.
    init(_ configuration: EngineConfiguration, _ graph: EngineGraph) {
        // Read a hundred times a second; deep enough for a freewheeling server's cycles too.
        let records = Ring<CycleRecord>(capacity: 8192)
        let unit = RenderUnit(graph.makeRunner(), records: records.producer, counters: counters)
        let audio = Cell(
            AudioSide(unit: unit, inputs: configuration.inputChannels, outputs: configuration.outputChannels))
        self.audio = audio
        client = UnitClient(
            configuration, ControlSide(records: records.consumer), graph,
            afterClose: { unsafe audio.pointer.pointee.isFreewheeling.store(false, ordering: .relaxed) })
    }

    deinit { stop() }

    func start(_ wiring: Wiring) throws(UnitError) {
        try client.start(wiring) { client, ports in
            let run = TapRun(sampleRate: client.sampleRate, cause: wiring.runCause)
            let rampMilliseconds = self.client.configuration.rampMilliseconds
            // SAFETY: the client is not active yet, so the audio side is ours; the unit keeps it until the close.
            unsafe self.client.graph.begin(sampleRate: client.sampleRate) { plan in
                unsafe audio.pointer.pointee.unit.reset(plan, rampMilliseconds: rampMilliseconds, run: run)
            }
            unsafe audio.pointer.pointee.ports.wire(client.handle, ports)
            unsafe try client.setProcess(processCycle, context: audio.pointer, keeping: audio)
            client.onNotification { [audio] notification in
                guard case .freewheel(let isOn) = notification else { return }
                unsafe audio.pointer.pointee.isFreewheeling.store(isOn, ordering: .relaxed)
            }
        }
    }

    func stop() { client.stop() }

    // SAFETY: the counters are atomic, and ours.
    var statistics: UnitStatistics { unsafe client.statistics(counters.pointer.pointee) }
}

import AudioRealtime
import Jack

/// An I/O unit in callback mode: a JACK client that renders its inputs to its outputs within the same cycle.
///
/// Made, then started, stopped and started again at will.
public final class IOUnit: GraphUnit {
    public let configuration: UnitConfiguration
    /// The levels of the outputs.
    public let meters: Meters
    public let client: UnitClient

    private let audio: Cell<AudioSide>
    private let counters: Cell<RenderCounters>

    /// Checks the configuration and allocates everything that the audio thread will need.
    ///
    /// - Throws: `invalidConfiguration`.
    public init(_ configuration: UnitConfiguration = UnitConfiguration()) throws(UnitError) {
        try configuration.check()
        self.configuration = configuration
        let meters = Meters(channels: configuration.channels)
        let counters = Cell(RenderCounters())
        let commands = Ring<Command>(capacity: 256)
        // Read a hundred times a second; deep enough for a freewheeling server's cycles too.
        let records = Ring<CycleRecord>(capacity: 8192)
        let parameters = configuration.parameters
        let chain = Cell(
            Chain(
                parameters: parameters, rampFrames: 0, maximumFrames: RenderUnit.maximumFrames,
                channels: configuration.channels, table: configuration.shapeTable))
        let unit = RenderUnit(
            chain: chain, meters: meters, commands: commands.consumer, records: records.producer,
            counters: counters)
        let audio = Cell(AudioSide(unit: unit, channels: configuration.channels))
        let controlSide = ControlSide(parameters: parameters, commands: commands.producer, records: records.consumer)
        self.meters = meters
        self.counters = counters
        self.audio = audio
        client = UnitClient(
            configuration, controlSide, collect: { controlSide.collect() },
            afterClose: { unsafe audio.pointer.pointee.isFreewheeling.store(false, ordering: .relaxed) })
    }

    deinit { stop() }

    /// Adds a tap on the outputs, to be read by one worker.
    ///
    /// - Parameter capacityFrames: how much may wait to be read. At least the longest period, 8192, whatever is asked
    ///   for: a tap that no block ever fits into would hear nothing, and hold up a freewheeling server.
    /// - Throws: `wrongState` while the unit runs, or has four taps.
    public func addTap(capacityFrames: Int) throws(UnitError) -> TapReader {
        let reader = client.whileStopped { () -> TapReader? in
            guard unsafe audio.pointer.pointee.unit.taps.count < TapList.capacity else { return nil }
            let capacity = max(capacityFrames, RenderUnit.maximumFrames)
            let tap = Tap(channels: configuration.channels, capacity: capacity)
            // SAFETY: no client is active, so the audio side is ours.
            unsafe audio.pointer.pointee.unit.taps.append(tap.writer)
            return tap.reader
        }
        guard let reader else {
            throw .wrongState("a tap can be added only before the unit is started, and four at the most")
        }
        return reader
    }

    /// Opens the client, joins the graph and makes the connections. Thread: control.
    ///
    /// - Throws: `wrongState` where the unit runs; `jack`; `nothingMatches`. Nothing is left behind then.
    public func start(_ wiring: Wiring) throws(UnitError) {
        try client.start(wiring) { client, ports in
            let rampFrames = configuration.rampFrames(sampleRate: client.sampleRate)
            let run = TapRun(sampleRate: client.sampleRate, cause: wiring.runCause)
            // SAFETY: the client is not active yet, so the audio side is ours; the unit keeps it until the close.
            self.client.controlSide.begin { parameters in
                unsafe audio.pointer.pointee.unit.reset(parameters: parameters, rampFrames: rampFrames, run: run)
            }
            unsafe audio.pointer.pointee.ports.wire(client.handle, ports)
            unsafe try client.setProcess(processCycle, context: audio.pointer, keeping: audio)
            client.onNotification { [audio] notification in
                guard case .freewheel(let isOn) = notification else { return }
                unsafe audio.pointer.pointee.isFreewheeling.store(isOn, ordering: .relaxed)
            }
        }
    }

    public func stop() { client.stop() }

    /// What was counted since the unit was made.
    // SAFETY: the counters are atomic, and ours.
    public var statistics: UnitStatistics { unsafe client.statistics(counters.pointer.pointee) }
}

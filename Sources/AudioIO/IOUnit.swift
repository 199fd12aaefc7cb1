import AudioDSP
import AudioRealtime
import Jack
import Synchronization

/// An I/O unit in callback mode: a JACK client that renders its inputs to its outputs within the same cycle.
///
/// Made, then started, stopped and started again at will. `start`, `stop` and `restart` wait for JACK, and what tells
/// of the connection waits for them; parameters and figures return at once. All may be called from any thread but the
/// audio thread.
public final class IOUnit: Sendable {
    public let configuration: UnitConfiguration
    /// The levels of the outputs.
    public let meters: Meters

    private let audio: Cell<AudioSide>
    private let counters: Cell<RenderCounters>
    private let life: Mutex<Life>
    private let desk: Desk

    /// What belongs to one start.
    private struct Life: ~Copyable {
        var client: ActiveClient?
        var collector: Collector?
        var inputs: [Port] = []
        var outputs: [Port] = []
    }

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
        let chain = Chain(parameters: parameters, rampFrames: 0, maximumFrames: RenderUnit.maximumFrames)
        let unit = RenderUnit(
            chain: chain, meters: meters, commands: commands.consumer, records: records.producer,
            counters: counters)
        audio = Cell(AudioSide(unit: unit, channels: configuration.channels))
        self.meters = meters
        self.counters = counters
        life = Mutex(Life())
        desk = Desk(parameters: parameters, commands: commands.producer, records: records.consumer)
    }

    deinit { stop() }

    /// Adds a tap on the outputs, to be read by one worker.
    ///
    /// - Parameter capacityFrames: how much may wait to be read. At least the longest period, 8192, whatever is asked
    ///   for: a tap that no block ever fits into would hear nothing, and hold up a freewheeling server.
    /// - Throws: `wrongState` while the unit runs, or has four taps.
    public func addTap(capacityFrames: Int) throws(UnitError) -> TapReader {
        try life.withLock { life throws(UnitError) in
            guard life.client == nil, unsafe audio.pointer.pointee.unit.taps.count < TapList.capacity else {
                throw .wrongState("a tap can be added only before the unit is started, and four at the most")
            }
            let capacity = max(capacityFrames, RenderUnit.maximumFrames)
            let tap = Tap(channels: configuration.channels, capacity: capacity)
            // SAFETY: no client is active, so the audio side is ours.
            unsafe audio.pointer.pointee.unit.taps.append(tap.writer)
            return tap.reader
        }
    }

    /// Hands over the record of each cycle from now on, in order, in batches about a hundred times a second.
    ///
    /// - Parameter listener: called on a worker, or on the thread of whoever asks for figures. It must not call the
    ///   unit. `nil` ends it.
    public func onCycles(_ listener: (@Sendable ([CycleRecord]) -> Void)?) {
        desk.collect()
        desk.telemetry.withLock { $0.listener = listener }
    }
}

// Life.
extension IOUnit {
    /// Opens the client, joins the graph and makes the connections. Thread: control.
    ///
    /// - Throws: `wrongState` where the unit runs; `jack`; `nothingMatches`. Nothing is left behind then.
    public func start() throws(UnitError) {
        try life.withLock { life throws(UnitError) in
            guard life.client == nil else { throw .wrongState("the unit runs already") }
            do {
                try open(&life)
            } catch let error as JackError {
                close(&life)
                throw .jack(error)
            } catch let error as UnitError {
                close(&life)
                throw error
            } catch {
                close(&life)
                throw .wrongState("\(error)")
            }
        }
    }

    /// Leaves the graph and closes the client. What was counted stays. Thread: control.
    public func stop() {
        life.withLock { close(&$0) }
    }

    public func restart() throws(UnitError) {
        stop()
        try start()
    }

    private func open(_ life: inout Life) throws {
        let client = try Client(
            name: configuration.clientName, server: configuration.serverName,
            permitsRenaming: !configuration.requiresExactName)
        life.inputs = []
        life.outputs = []
        for channel in 1...configuration.channels {
            life.inputs.append(try client.register("in_\(channel)", .input))
            life.outputs.append(try client.register("out_\(channel)", .output))
        }
        let rampFrames = Int(configuration.rampMilliseconds / 1000 * Double(client.sampleRate))
        desk.control.withLock { control in
            control.isBehind = false
            control.isRunning = true
            // Under the lock, so that no command comes between what is taken over and what is void.
            // SAFETY: the client is not active yet, so the audio side is ours; the unit keeps it until the close.
            unsafe audio.pointer.pointee.unit.reset(parameters: control.parameters, rampFrames: rampFrames)
        }
        unsafe audio.pointer.pointee.wire(client.handle, inputs: life.inputs, outputs: life.outputs)
        unsafe try client.setProcess(processCycle, context: audio.pointer)
        client.declareLatency(inputs: life.inputs, outputs: life.outputs, addedFrames: 0)
        client.onNotification { [audio, desk] notification in
            switch notification {
            case .freewheel(let isOn):
                unsafe audio.pointer.pointee.isFreewheeling.store(isOn, ordering: .relaxed)
            case .xrun(let delay):
                desk.noteXrun(delayMicroseconds: Double(delay))
            case .shutdown(let reason):
                desk.shutdownReason.withLock { $0 = reason }
            default:
                break
            }
        }
        let sampleRate = client.sampleRate
        desk.telemetry.withLock { telemetry in
            if telemetry.account?.breakContinuity(sampleRate: sampleRate) == nil {
                telemetry.account = CycleAccount(sampleRate: sampleRate)
            }
        }
        desk.isCounting.store(true, ordering: .relaxed)
        life.collector = try Collector { [desk] in desk.collect() }
        let active = try client.activate()
        let links = try links(on: active, life)
        for link in links { try active.connect(link.source, to: link.target) }
        if configuration.describesPorts { describePorts(of: active, life) }
        life.client = consume active
    }

    private func links(
        on client: borrowing ActiveClient, _ life: borrowing Life
    ) throws(UnitError) -> [Link] {
        let sources = try configuration.inputs.resolve(.output, on: client, ownName: client.name)
        let targets = try configuration.outputs.resolve(.input, on: client, ownName: client.name)
        return Route.links(inputs: life.inputs.map(\.name), from: sources)
            + Route.links(outputs: life.outputs.map(\.name), to: targets)
    }

    /// Names for people, where the server keeps them: not every one does, and nothing depends on it.
    private func describePorts(of client: borrowing ActiveClient, _ life: borrowing Life) {
        for (word, ports) in [("Input", life.inputs), ("Output", life.outputs)] {
            for (index, port) in ports.enumerated() {
                guard
                    (try? client.setProperty(.prettyName, of: port, to: "\(word) \(index + 1)")) != nil,
                    (try? client.setProperty(.order, of: port, to: "\(index)")) != nil
                else { return }
            }
        }
    }

    private func close(_ life: inout Life) {
        desk.isCounting.store(false, ordering: .relaxed)
        if configuration.describesPorts, life.client?.hasShutDown == false {
            for port in life.inputs + life.outputs { life.client?.removeProperties(of: port) }
        }
        // Deactivated and closed first; what the callback uses is the unit's own and outlives it.
        life.client = nil
        unsafe audio.pointer.pointee.isFreewheeling.store(false, ordering: .relaxed)
        life.collector?.stop()
        life.collector = nil
        desk.control.withLock { $0.isRunning = false }
        desk.collect()
    }
}

// Parameters.
extension IOUnit {
    /// What the unit is told to do.
    public var parameters: Parameters { desk.control.withLock { $0.parameters } }

    /// - Parameter decibels: −120…60; what lies outside is moved to the nearest end. NaN changes nothing.
    public func setGain(decibels: Double) {
        guard !decibels.isNaN else { return }
        desk.send(.gain(Float(Decibels.linear(limited(decibels)))))
    }

    /// - Parameter linear: a factor of 0 or more; 0 is silence.
    public func setGain(linear: Double) {
        guard linear >= 0 else { return }
        desk.send(.gain(Float(min(linear, Decibels.linear(UnitConfiguration.decibelRange.upperBound)))))
    }

    /// - Parameter decibels: −120…60; what lies outside is moved to the nearest end. NaN changes nothing.
    public func setDrive(decibels: Double) {
        guard !decibels.isNaN else { return }
        desk.send(.drive(Float(Decibels.linear(limited(decibels)))))
    }

    public func setShape(_ shape: Shape) { desk.send(.shape(shape)) }
    public func setBypass(_ isBypassed: Bool) { desk.send(.bypass(isBypassed)) }
    public func setMute(_ isMuted: Bool) { desk.send(.mute(isMuted)) }

    private func limited(_ decibels: Double) -> Double {
        let range = UnitConfiguration.decibelRange
        return min(max(decibels, range.lowerBound), range.upperBound)
    }
}

// Figures.
extension IOUnit {
    /// What was counted since the unit was made.
    public var statistics: UnitStatistics {
        desk.collect()
        let account = desk.telemetry.withLock { $0.account }
        // SAFETY: the counters are atomic, and ours.
        return unsafe UnitStatistics(
            cycles: counters.pointer.pointee.cycles.load(ordering: .relaxed),
            frames: counters.pointer.pointee.frames.load(ordering: .relaxed),
            xruns: desk.xruns.load(ordering: .relaxed),
            xrunDelayNanoseconds: desk.xrunDelayNanoseconds.load(ordering: .relaxed),
            overruns: account?.overruns ?? 0,
            frameGaps: account?.frameGaps ?? 0,
            gapFrames: account?.gapFrames ?? 0,
            lateCycles: account?.lateCycles ?? 0,
            lostNanoseconds: account?.lostNanoseconds ?? 0,
            lostRecords: account?.lostRecords ?? 0,
            nonFiniteSamples: counters.pointer.pointee.nonFinite.load(ordering: .relaxed))
    }

    /// The intervals between starts of the callback since the last call.
    public func takeIntervals() -> IntervalWindow {
        desk.telemetry.withLock { $0.account?.takeWindow() ?? IntervalWindow() }
    }

    /// The record of the cycle that began at a time of JACK's frame clock, if it is among the last 8192.
    public func cycle(atFrameTime frameTime: UInt32) -> CycleRecord? {
        desk.collect()
        return desk.telemetry.withLock { $0.account?.cycle(atFrameTime: frameTime) }
    }

    /// The records of the last 8192 cycles, in order.
    package var recentCycles: [CycleRecord] {
        desk.collect()
        return desk.telemetry.withLock { $0.account?.recentCycles ?? [] }
    }

    /// The last cycle that was accounted for.
    public var lastCycle: CycleRecord? {
        desk.collect()
        return desk.telemetry.withLock { $0.account?.last }
    }

    /// What the unit is connected to, or `nil` while it does not run.
    public var connection: UnitConnection? {
        life.withLock { life in
            guard let name = life.client?.name else { return nil }
            return UnitConnection(
                clientName: name,
                sampleRate: life.client?.sampleRate ?? 0,
                periodFrames: life.client?.periodFrames ?? 0,
                isRealtime: life.client?.isRealtime ?? false,
                scheduling: life.client?.scheduling,
                inputs: life.inputs.map(\.name),
                outputs: life.outputs.map(\.name))
        }
    }

    /// What the audio thread has cost so far, or `nil` while the unit does not run.
    public var audioThreadUsage: ThreadUsage? { life.withLock { $0.client?.audioThreadUsage } }

    /// The server's estimate of its load, 0…1; 0 while the unit does not run.
    public var dspLoad: Double { life.withLock { $0.client?.dspLoad ?? 0 } }
    /// The server's present period in frames; 0 while the unit does not run.
    public var periodFrames: Int { life.withLock { $0.client?.periodFrames ?? 0 } }
    /// Whether the server has gone away under the unit. It must be stopped then, and can be started again.
    public var hasLostServer: Bool { life.withLock { $0.client?.hasShutDown ?? false } }
    /// Why the server went away, in JACK's words, if it said so; empty before.
    public var lostServerReason: String { desk.shutdownReason.withLock { $0 } }
    public var isRunning: Bool { life.withLock { $0.client != nil } }

    /// The notifications from now on; ends at once while the unit does not run.
    public func notifications() -> AsyncStream<Notification> {
        life.withLock { $0.client?.notifications() } ?? AsyncStream { $0.finish() }
    }
}

import AudioIO
import AudioRealtime
import CPluginGuard
import Synchronization
import Threads

/// The control side of a plug-in's node. Instantiates the plug-in, again after a change of the sample rate, and runs its worker.
final class PluginDriver: NodeDriver {
    let info: PluginInfo
    let controls: PluginControls
    let log = PluginLog()
    private let world: PluginWorld
    private let maximumFrames: Int
    let switches = Cell(PluginSwitches())
    private let state = Mutex(State())
    private let refusals = Mutex(PluginRefusals())
    /// How often the worker looks whether there is something to do.
    private static let paceNanoseconds: UInt64 = 2_000_000
    private static let midiCapacity = 256

    private struct State {
        /// Of the newest body.
        var exchange: RigExchange?
        var dry: DryExchange?
        var cell: Cell<ProcessorState>?
        var midi: Cell<Producer<MIDIMessage>>?
        var layout: ChannelLayout?
        var worker: TimerWorker?
        /// What instances begin with.
        var snapshot: PluginSnapshot?
        /// The first instance, until a body needs it.
        var spare: PluginInstance?
        var failure: PluginError?
    }

    /// Makes the first instance, and so finds out whether that can be done.
    ///
    /// - Throws: `unusable`, and `channels` where the number of them is said.
    init(
        _ info: PluginInfo, _ world: PluginWorld, channels: Int?, sampleRate: Int, maximumFrames: Int
    ) throws(PluginError) {
        self.info = info
        self.world = world
        self.maximumFrames = maximumFrames
        controls = PluginControls(info.ports)
        try info.checkFeatures()
        if let channels { _ = try ChannelLayout(info, channels: channels) }
        let snapshot = info.wantsDefaultState ? PluginSnapshot(world, uri: info.uri) : nil
        let spare = try instance(sampleRate, snapshot)
        state.withLock { ($0.snapshot, $0.spare) = (snapshot, spare) }
    }

    private func instance(_ sampleRate: Int, _ snapshot: PluginSnapshot?) throws(PluginError) -> PluginInstance {
        try PluginInstance(
            info, world, log, sampleRate: sampleRate, maximumFrames: maximumFrames, controls.values, snapshot: snapshot)
    }

    private var latencyPort: Int? { info.ports.first { $0.purpose == .latency }?.index }
    /// The plug-in's own switch.
    private var enabledPort: Int? { info.ports.first { $0.purpose == .enabled }?.index }
    /// Of the newest body.
    var exchange: RigExchange? { state.withLock { $0.exchange } }

    /// Instances for a sample rate in hertz. Not under the lock: it may take long.
    private func rig(
        _ layout: ChannelLayout, _ sampleRate: Int, _ snapshot: PluginSnapshot?, spare: PluginInstance? = nil
    ) throws(PluginError) -> PluginRig {
        try PluginRig(
            layout, sampleRate: sampleRate, first: spare?.sampleRate == sampleRate ? spare : nil,
            latencyPort: latencyPort
        ) { () throws(PluginError) in try instance(sampleRate, snapshot) }
    }

    // What the engine calls.

    func makeBody(_ format: NodeFormat) -> NodeBody {
        let exchange = RigExchange()
        let ring = Ring<MIDIMessage>(capacity: Self.midiCapacity)
        let midi = Cell(ring.producer)
        let (snapshot, spare) = state.withLock { state in
            defer { state.spare = nil }
            return (state.snapshot, state.spare)
        }
        spare?.takeControls(controls.values)
        var layout: ChannelLayout?
        var failure: PluginError?
        do throws(PluginError) {
            let own = try ChannelLayout(info, channels: format.channels)
            layout = own
            exchange.offer(try rig(own, format.sampleRate, snapshot, spare: spare))
        } catch {
            failure = error
        }
        // Of one with a switch of its own too: where it is ended, the sound goes by as late.
        let remembers = info.reportsLatency
        let dry = DryExchange(channels: format.channels, latencyFrames: remembers ? exchange.latencyFrames : nil)
        let cell = Cell(
            ProcessorState(
                HostedState(
                    exchange, dry, controls, HostedMIDI(ring.consumer, format.midi), switches,
                    rampFrames: format.rampFrames, maximumFrames: maximumFrames, remembers: remembers),
                host, sampleRate: format.sampleRate))
        state.withLock { [layout, failure] state in
            (state.exchange, state.dry, state.cell, state.midi) = (exchange, dry, cell, midi)
            (state.layout, state.failure) = (layout, failure)
        }
        return .processor(cell)
    }

    var latencyFrames: Int {
        let (exchange, dry, ahead) = state.withLock { state -> (RigExchange?, DryExchange?, Int?) in
            guard state.exchange == nil, let spare = state.spare else { return (state.exchange, state.dry, nil) }
            // Before it is attached nobody renders the first instance.
            spare.takeControls(controls.values)
            return (nil, nil, latencyPort.map { spare.latencyFrames(at: $0) })
        }
        exchange?.collect()
        let frames = exchange?.latencyFrames ?? ahead ?? 0
        dry?.reach(latencyFrames: frames)
        return frames
    }

    var settlingFrames: Int { latencyFrames }

    func follow(_ format: NodeFormat) {
        let (exchange, layout, snapshot) = state.withLock { ($0.exchange, $0.layout, $0.snapshot) }
        if let exchange, let layout, exchange.rigs.last?.sampleRate != format.sampleRate {
            renew(exchange, layout, format.sampleRate, snapshot)
        }
        guard format.hasWorkers, exchange?.rigs.last?.hasWorker ?? false else { return }
        state.withLock { state in
            guard state.worker == nil else { return }
            do throws(ResourceError) {
                state.worker = try TimerWorker("iounit-plugin", every: Self.paceNanoseconds) { [weak self] _ in
                    self?.work()
                }
            } catch {
                state.failure = info.unusable(
                    "has no worker: the machine has no more threads to give; end other programs")
            }
        }
    }

    func renderAhead(to frame: UInt64) { work() }

    func end() {
        let worker = state.withLock { state in
            defer { state.worker = nil }
            return state.worker
        }
        worker?.stop()
    }

    private func work() {
        for rig in exchange?.rigs ?? [] { rig.work() }
    }

    /// Where it fails, the old instances go on.
    private func renew(
        _ exchange: RigExchange, _ layout: ChannelLayout, _ sampleRate: Int, _ snapshot: PluginSnapshot?
    ) {
        do throws(PluginError) {
            exchange.offer(try rig(layout, sampleRate, snapshot))
            state.withLock { $0.failure = nil }
        } catch {
            state.withLock { $0.failure = error }
        }
    }

    // What the node asks for.

    var failure: PluginError? { state.withLock { $0.failure } }
    var instanceCount: Int { state.withLock { $0.layout?.instances ?? 0 } }

    var nonFiniteSamples: UInt64 {
        // SAFETY: the cell is kept, and the read is atomic.
        state.withLock { $0.cell.map { unsafe $0.pointer.pointee.nonFinite.load(ordering: .relaxed) } ?? 0 }
    }

    /// What was refused to it, in sentences: since the last call.
    func takeRefusals() -> [String] {
        let (exchange, spare) = state.withLock { ($0.exchange, $0.spare) }
        let instances = exchange?.rigs.flatMap(\.instances) ?? spare.map { [$0] } ?? []
        return refusals.withLock { $0.take(info, instances) }
    }

    var isBypassed: Bool {
        get {
            if let enabledPort { return controls.values[enabledPort] <= 0 }
            return unsafe switches.pointer.pointee.bypass.load(ordering: .relaxed)
        }
        set {
            if let enabledPort { return controls.values.set(enabledPort, to: newValue ? 0 : 1) }
            unsafe switches.pointer.pointee.bypass.store(newValue, ordering: .relaxed)
        }
    }

    func send(_ message: MIDIMessage) -> Bool {
        // SAFETY: only who has the lock writes.
        state.withLock { state in state.midi.map { unsafe $0.pointer.pointee.push(message) } ?? false }
    }

    /// Of the first instance, as it is now.
    ///
    /// - Throws: `unusable`.
    func snapshot(sampleRate: Int) throws(PluginError) -> PluginSnapshot {
        let (exchange, spare, before) = state.withLock { ($0.exchange, $0.spare, $0.snapshot) }
        let present = exchange?.rigs.last?.instances[0] ?? spare
        let instance = if let present { present } else { try self.instance(sampleRate, before) }
        guard let snapshot = instance.snapshot(controls.values) else {
            throw info.unusable("cannot save its state; note its parameters instead")
        }
        return snapshot
    }

    /// Values of ports at once, but for triggers, and what else the snapshot has by new instances.
    func restore(_ snapshot: PluginSnapshot) {
        for (symbol, number) in snapshot.numbers {
            guard let port = info.controls.first(where: { $0.symbol == symbol && !$0.isTrigger }),
                let value = port.inRange(number)
            else { continue }
            controls.values.set(port.index, to: value)
        }
        guard snapshot.hasProperties else { return }
        let (exchange, layout, ahead) = state.withLock { state in
            defer { state.spare = nil }
            state.snapshot = snapshot
            return (state.exchange, state.layout, state.spare)
        }
        if let exchange, let layout, let rate = exchange.rigs.last?.sampleRate {
            renew(exchange, layout, rate, snapshot)
        } else if let ahead, let spare = try? instance(ahead.sampleRate, snapshot) {
            // So that its latency is known before it is attached. What fails here fails then too.
            state.withLock { $0.spare = spare }
        }
    }
}

/// What the host has refused to a plug-in, and has said of that. Thread: any but audio.
private struct PluginRefusals {
    /// Places in `kinds`, and -1 for an end, of which a sentence was made: one each, though a plug-in may try in every block.
    private var told: Set<Int> = []
    private static let kinds: [(kind: cplugin_kind, sentence: String)] = [
        (CPLUGIN_ENDED_THREAD, "wanted to end this program from a thread of its own: that thread has ended"),
        (CPLUGIN_CLOSED, "wanted to close files that it did not open: they stay open"),
        (CPLUGIN_FORKED, "wanted to fork, or to become another program: that was refused"),
        (CPLUGIN_HANDLED, "wanted to handle signals: they stay with this program"),
        (CPLUGIN_SIGNALLED, "wanted a timer to send signals, which would end this program: that was refused"),
    ]

    /// The sentences that are new. Another plug-in of the same library may be meant: threads do not say whose they are.
    mutating func take(_ info: PluginInfo, _ instances: [PluginInstance]) -> [String] {
        var sentences: [String] = []
        if let function = instances.lazy.compactMap(\.endedBy).first, told.insert(-1).inserted {
            sentences.append(
                "\(info.shown) called \(function), which would end this program: it is bypassed from there on")
        }
        guard let instance = instances.first else { return sentences }
        for (place, known) in Self.kinds.enumerated() where instance.count(of: known.kind) > 0 {
            if told.insert(place).inserted { sentences.append("\(info.shown) \(known.sentence)") }
        }
        return sentences
    }
}

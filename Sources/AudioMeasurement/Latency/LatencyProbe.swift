import AudioDSP
import AudioFigures
import AudioRealtime
import Jack
import Synchronization
import Threads

/// Measures in frames how long the way is from one of its ports to others, with a signal that it sends and hears.
///
/// In two forms. A *round trip* is one client with `out_1` and `in_1`: what it hears was sent in an earlier cycle, as
/// in an application that plays and records. *Through* the graph are two, a sender and a receiver: there is no loop
/// then, which JACK would break by a period of delay, and several ways can be measured at once.
///
/// Make it, connect its ports, `begin`, and ask for the `finding`, which gets better the longer it listens: the first
/// comes after three rounds of the signal. What other clients connect to its ports is disconnected, told as
/// `foreignConnections` and not listened to. Thread: control, for all of it.
public final class LatencyProbe: Sendable {
    /// Full name of the port that the signal is sent from.
    public let sendPort: String
    /// Full names of the ports that it is heard at.
    public let returnPorts: [String]
    /// What it sends, again and again.
    public let signal: ProbeSignal
    private let firstSampleRate: Int

    private let clients: ProbeClients
    private let connections: ProbeConnections
    private let listener: ProbeListener
    private let worker: TimerWorker
    private let dropped: Cell<Atomic<UInt64>>

    /// Opens the client of a round trip, with the ports `out_1` and `in_1`.
    ///
    /// - Parameters:
    ///   - signal: longer than the way; a delay of its length or more is taken for a shorter one.
    ///   - server: which server; `nil` for the one that `JACK_DEFAULT_SERVER` names, or `default`.
    public convenience init(
        roundTrip clientName: String, server: String? = nil, signal: ProbeSignal = ProbeSignal()
    ) throws(JackError) {
        try self.init(receiver: clientName, sender: nil, inputs: 1, server: server, signal: signal)
    }

    /// Opens a sender `NAME-send` with the port `out_1`, and a receiver `NAME` with the ports `in_1` and so on.
    ///
    /// - Parameters:
    ///   - inputs: how many ways are measured at once, 1 to 64.
    ///   - signal: longer than the way; a delay of its length or more is taken for a shorter one.
    ///   - server: which server; `nil` for the one that `JACK_DEFAULT_SERVER` names, or `default`.
    public convenience init(
        through clientName: String, inputs: Int, server: String? = nil, signal: ProbeSignal = ProbeSignal()
    ) throws(JackError) {
        guard (1...64).contains(inputs) else {
            throw JackError(
                .invalidRequest, "open a latency probe", "it has 1 to 64 inputs, not \(inputs)")
        }
        try self.init(
            receiver: clientName, sender: "\(clientName)-send", inputs: inputs, server: server, signal: signal)
    }

    private init(
        receiver name: String, sender: String?, inputs: Int, server: String?, signal: ProbeSignal
    ) throws(JackError) {
        // Enough for more than a second, and for the estimate of the longest signal to be made meanwhile.
        let ring = FrameRing(channels: inputs, capacity: max(1 << 17, signal.lengthFrames / 8))
        let records = Ring<CycleRecord>(capacity: 8192)
        let dropped = Cell(Atomic<UInt64>(0))
        let capture = Cell(
            ProbeCapture(samples: ring.producer, records: records.producer, droppedFrames: dropped))
        // A notification may come a little after its connection: a round waits for two more looks at the ports.
        let listener = ProbeListener(
            ProbeGathering(samples: ring.consumer, records: records.consumer, signal: signal, settling: 2))
        let connections = ProbeConnections()
        let listen: @Sendable (Notification) -> Void = { notification in
            switch notification {
            case .periodChanged(let frames): listener.notePeriod(frames)
            case .shutdown(let reason): listener.lossReason.withLock { $0 = reason }
            default: break
            }
        }
        let receiver = try ProbeClient(
            name: name, server: server, signal: sender == nil ? signal : nil, inputs: inputs, capture: capture
        ) { notification in
            listen(notification)
            // JACK notifies both clients of each connection; it is counted here alone.
            if case .portsConnected(let source, let target) = notification { connections.note(source, target) }
        }
        returnPorts = receiver.ports.inputs.map(\.name)
        firstSampleRate = receiver.client.sampleRate
        if let sender {
            let other = try ProbeClient(
                name: sender, server: server, signal: signal, inputs: 0, capture: nil, listen: listen)
            sendPort = other.ports.outputs.first?.name ?? ""
            clients = ProbeClients(receiver: receiver, sender: other)
        } else {
            sendPort = receiver.ports.outputs.first?.name ?? ""
            clients = ProbeClients(receiver: receiver, sender: nil)
        }
        connections.watch([sendPort] + returnPorts)
        worker = try TimerWorker.start("iounit-probe", every: ProbeListener.wakeNanoseconds) { [clients] _ in
            if clients.haveForeignConnections(connections) { listener.disturb() }
            listener.collect()
        }
        self.connections = connections
        self.signal = signal
        self.listener = listener
        self.dropped = dropped
    }

    deinit { stop() }

    /// Sends the signal to an input of any client, given by its full name.
    public func connectSend(to target: String) throws(JackError) { try connect(sendPort, to: target) }

    /// Hears an output of any client, given by its full name.
    ///
    /// - Throws: also where there is no such input.
    public func connectReturn(from source: String, input: Int = 0) throws(JackError) {
        guard returnPorts.indices.contains(input) else {
            throw JackError(
                .invalidRequest, "connect \(source) to input \(input) of a latency probe",
                "it has the inputs 0 to \(returnPorts.count - 1)")
        }
        try connect(source, to: returnPorts[input])
    }

    private func connect(_ source: String, to target: String) throws(JackError) {
        try clients.withLock { (clients: inout ProbeClients.Both) throws(JackError) in
            guard clients.receiver != nil else {
                throw JackError(
                    .invalidRequest, "connect \(source) to \(target)", "the probe was stopped; make another")
            }
            connections.add(source, target)
            try clients.receiver?.client.connect(source, to: target)
        }
    }

    /// Drops what was heard, and listens from now on: call it when the way is made.
    public func begin() {
        _ = clients.haveForeignConnections(connections)
        listener.begin(periodFrames: periodFrames)
    }

    /// Takes nothing of what is heard from now on, so that all that was found belongs together.
    public func end() {
        if clients.haveForeignConnections(connections) { listener.disturb() }
        listener.end()
    }

    /// What other clients connected to the probe's ports until now. It was disconnected again, and what was heard
    /// meanwhile is not in the finding.
    public var foreignConnections: [ForeignConnection] { connections.foreign }

    /// The connections of the way that were taken away meanwhile, as `source → target`, as where another client disconnected them or
    /// ended. What was heard without them is not in the finding.
    public var lostConnections: [String] { connections.lost }

    /// Whether another client makes such a connection again and again: it stays then, and there is no finding any more.
    public var isContested: Bool { connections.isContested }

    /// The server's sample rate while that was heard which the finding is made of, in hertz.
    public var sampleRate: Int { listener.ask { $0.sampleRate } ?? firstSampleRate }

    /// What was gathered of an input, or what is said of one that there is not.
    private func ask<Answer: Sendable>(
        _ input: Int, otherwise: Answer, _ question: (borrowing ProbeGathering) -> Answer
    ) -> Answer {
        returnPorts.indices.contains(input) ? listener.ask(question) : otherwise
    }

    /// What was found out of an input's way, or `nil` before two whole rounds were heard, and where `isContested`. Of an input
    /// that there is not, nothing was heard, here and below.
    public func finding(input: Int = 0) -> LatencyFinding? {
        isContested ? nil : ask(input, otherwise: nil) { $0.estimators[input].finding }
    }

    /// What each round says by itself; the last 8192.
    public func readings(input: Int = 0) -> [LatencyReading] {
        ask(input, otherwise: []) { $0.estimators[input].readings }
    }

    /// The correlation of what was heard with what was sent, for each whole frame of delay; 1 is a wire's. For plots.
    public func correlation(input: Int = 0) -> [Float] {
        ask(input, otherwise: []) { $0.estimators[input].correlation }
    }

    /// The greatest sample of these rounds, in decibels of full scale; `nil` for digital silence.
    public func peakDecibels(input: Int = 0) -> Double? {
        let peak = ask(input, otherwise: 0) { $0.estimators[input].peak }
        return peak > 0 ? Decibels.decibels(Double(peak)) : nil
    }

    /// Rounds of the signal that the finding is made of.
    public func rounds(input: Int = 0) -> Int { ask(input, otherwise: 0) { $0.estimators[input].blocks } }

    /// Rounds that were left out: the frame clock had a gap in them, samples were no numbers, or another client had
    /// connected something to the probe's ports.
    public func discarded(input: Int = 0) -> Int {
        ask(input, otherwise: 0) { $0.brokenRounds + $0.estimators[input].discarded }
    }

    /// How often everything began again, because the server's period or its sample rate had changed.
    public var restarts: Int { listener.ask { $0.restarts } }

    /// Frames that were heard since the probe was made; the number stands still when the server does.
    public var heardFrames: UInt64 { listener.ask { $0.heardFrames } }

    /// Frames that were heard but found no room on their way to the worker.
    public var droppedFrames: UInt64 { unsafe dropped.pointer.pointee.load(ordering: .relaxed) }

    /// What the ports on the way declare, as JACK adds it up; `nil` where the probe is connected to none or to itself.
    public func declared(input: Int = 0) -> DeclaredLatency? {
        guard returnPorts.indices.contains(input) else { return nil }
        return clients.withLock { clients in
            guard let receiver = clients.receiver?.client.port(named: returnPorts[input]),
                let sender = clients.receiver?.client.port(named: sendPort),
                let source = receiver.connections.first(where: { connections.isOwn($0, receiver.name) }),
                source != sendPort,
                let target = sender.connections.first(where: { connections.isOwn(sender.name, $0) }),
                let last = clients.receiver?.client.port(named: source),
                let first = clients.receiver?.client.port(named: target)
            else { return nil }
            return DeclaredPath(first: first, last: last, sender: sendPort).latency
        }
    }

    /// The same in frames; `nil` also where the ports leave it open.
    public func declaredFrames(input: Int = 0) -> Int? { declared(input: input)?.frames }

    /// The server's present period in frames; 0 when stopped.
    public var periodFrames: Int { clients.withLock { $0.receiver?.client.periodFrames ?? 0 } }

    /// How the kernel schedules the audio thread, or `nil` where it cannot be asked.
    public var scheduling: Scheduling? { clients.withLock { $0.receiver?.client.scheduling } }

    /// Whether the server has gone away, or has thrown the probe out. What was found stays.
    public var hasLostServer: Bool { listener.lossReason.withLock { $0 != nil } }
    /// Why, in JACK's words, if it said so.
    public var lostServerReason: String { listener.lossReason.withLock { $0 ?? "" } }

    /// Leaves the graph. What was found stays. Calling it again does nothing.
    public func stop() {
        clients.close()
        worker.stop()
        listener.collect()
    }
}

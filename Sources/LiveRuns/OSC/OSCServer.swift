import AudioMetering
import AudioReports
import AudioStreaming
import CommandSyntax
import TerminalPages
import Threads

/// Takes messages of OSC for a run, acts on them, and answers.
///
/// Thread: control.
package final class OSCServer: RunPart {
    private let socket: OSCSocket
    private let isOpenToOthers: Bool
    private var space: OSCAddressSpace<OSCSocket.Peer>?
    private let inputs: PeakLevels
    private let outputs: PeakLevels
    private let silence: OSCLevels
    private var news = OSCNews<OSCSocket.Peer>()
    /// The rest of the last datagram, and who sent it: a bundle may hold more than one turn can do.
    private var rest: (messages: ArraySlice<OSCMessage>, sender: OSCSocket.Peer)?
    /// The message that is acted on just now.
    private var cause: (message: OSCMessage, sender: OSCSocket.Peer)?
    private(set) var messages: UInt64 = 0
    private(set) var malformed: UInt64 = 0
    private var budget = OSCBudget<PeerAddress?>()
    /// What the kernel did not take, or was more than may be sent to one address.
    private(set) var unsent: UInt64 = 0
    /// Of lists that are longer than what may be sent at once the rest, by who asked: it goes out as more may be sent.
    private var lists: [OSCSocket.Peer: ArraySlice<OSCMessage>] = [:]

    private static let mostLists = 8
    private static let listPauseSeconds = 0.05
    /// A turn of the loop takes and sends so many messages at the most, and lasts so long, so that a flood of them holds up
    /// neither signals nor keys.
    private static let mostAtOnce = 1000
    private static let longestNanoseconds: UInt64 = 10_000_000

    /// - Parameters:
    ///   - inputs, outputs: channels whose levels are reported.
    /// - Throws: as `OSCSocket`.
    init(_ address: PageAddress, inputs: Int, outputs: Int) throws(Failure) {
        do { try OptionalLibrary.liblo.load() } catch { throw error.failure }
        isOpenToOthers = !address.isLoopback
        socket = try OSCSocket(host: address.host, port: address.port)
        silence = OSCLevels(
            inputs: [Float](repeating: 0, count: inputs), outputs: [Float](repeating: 0, count: outputs))
        self.inputs = PeakLevels(channels: inputs)
        self.outputs = PeakLevels(channels: outputs)
    }

    package var sockets: [CInt] { [socket.descriptor] }
    /// As in `127.0.0.1:9000`.
    var place: String { socket.place }
    package var words: [String] {
        [
            "OSC \(place)  \(counted(messages, "message"))" + (refusals > 0 ? "  \(refusals) refused" : "")
                + (malformed > 0 ? "  \(malformed) MALFORMED" : "")
        ]
    }
    package var report: OSCReport? {
        OSCReport(
            address: place, messages: messages, changes: space?.changes ?? 0, refusals: refusals, malformed: malformed,
            unsent: unsent)
    }
    var refusals: UInt64 { space?.refusals ?? 0 }

    /// Begins to listen to the sound, and to be told of changes.
    package func start(_ session: any LiveSession) throws {
        let (inputs, outputs, engine) = (inputs, outputs, session.run.engine)
        try session.tapInputs { inputs.add($0) }
        try engine.watch(engine.output, frames: SoundScope.columnFrames(engine.sampleRate)) { buffer, _ in
            outputs.add(buffer)
        }
        start(session.controls, session.figures + session.parts.figures)
        StandardError.complain("listening for OSC on \(place)")
        if isOpenToOthers {
            StandardError.complain("OSC has no password: anyone who reaches that address can change this run")
        }
    }

    /// Begins to act on messages.
    func start(_ controls: ControlTable, _ figures: [OSCFigure]) {
        space = OSCAddressSpace(controls, figures, levels: silence) { [socket] peer in socket.isOwn(peer) }
        controls.observe { [weak self] control, value, _ in
            guard let self, let message = OSCAddressSpace<OSCSocket.Peer>.message(control, value) else { return }
            // Not sent at once: a message that is being acted on may be what has changed it.
            news.add(message, causedBy: cause)
        }
    }

    /// Acts on what has come, as far as one turn goes, and sends what is due.
    package func work(_ moment: RunMoment) { work() }

    func work() {
        act()
        for (peer, message) in news.take(for: space?.subscriptions.listeners() ?? []) { send(message, to: peer) }
        space?.add(OSCLevels(inputs: inputs.take(), outputs: outputs.take()))
        for (peer, message) in space?.takeDue(atNanoseconds: MonotonicClock.nanoseconds()) ?? [] {
            send(message, to: peer)
        }
        for peer in Array(lists.keys) { sendList(to: peer) }
    }

    private func act() {
        let end = MonotonicClock.nanoseconds() + Self.longestNanoseconds
        var count = 0
        while count < Self.mostAtOnce {
            let now = MonotonicClock.nanoseconds()
            guard now < end else { return }
            if let sender = rest?.sender, let message = rest?.messages.popFirst() {
                messages += 1
                cause = (message, sender)
                let replies = space?.answer(message, from: sender, atNanoseconds: now) ?? []
                cause = nil
                if lists[sender] == nil, lists.count < Self.mostLists,
                    replies.last?.address.hasSuffix("/list/end") == true
                {
                    lists[sender] = replies[...]
                    sendList(to: sender)
                } else {
                    for reply in replies { send(reply, to: sender) }
                }
                count += 1 + replies.count
            } else {
                rest = nil
                guard let (bytes, sender) = socket.next() else { return }
                let packet = OSCPacket(bytes)
                malformed += UInt64(packet.malformed)
                rest = (packet.messages[...], sender)
                count += 1 + packet.malformed
            }
        }
    }

    package var pauseSeconds: Double {
        if rest?.messages.isEmpty == false { return 0 }
        let pause = lists.isEmpty ? .infinity : Self.listPauseSeconds
        guard let next = space?.subscriptions.nextNanoseconds else { return pause }
        let now = MonotonicClock.nanoseconds()
        return next > now ? min(pause, Double(next - now) / 1e9) : 0
    }

    private func send(_ message: OSCMessage, to peer: OSCSocket.Peer) {
        if !sendNow(message, to: peer) { unsent += 1 }
    }

    private func sendList(to peer: OSCSocket.Peer) {
        guard var rest = lists.removeValue(forKey: peer) else { return }
        while let message = rest.first, sendNow(message, to: peer) { rest.removeFirst() }
        if !rest.isEmpty { lists[peer] = rest }
    }

    /// Returns whether that much may be sent there at present.
    private func sendNow(_ message: OSCMessage, to peer: OSCSocket.Peer) -> Bool {
        let bytes = message.bytes
        guard budget.take(bytes.count, for: PeerAddress(peer), atNanoseconds: MonotonicClock.nanoseconds()) else {
            return false
        }
        if !socket.send(bytes, to: peer) { unsent += 1 }
        return true
    }
}

/// Changes of controls that the listeners have not been sent yet: of each control the last value, however often it changed.
struct OSCNews<Peer: Hashable> {
    private var pending: [(message: OSCMessage, sender: Peer?)] = []

    /// - Parameter cause: the message that made the change, and who sent it; `nil` where no message did.
    mutating func add(_ message: OSCMessage, causedBy cause: (message: OSCMessage, sender: Peer)?) {
        pending.removeAll { $0.message.address == message.address }
        // Its sender knows this value already. Two runs that subscribe to each other would never stop sending it.
        pending.append((message, cause?.message == message ? cause?.sender : nil))
    }

    /// What is to be sent, in the order of the changes.
    mutating func take(for listeners: [Peer]) -> [(peer: Peer, message: OSCMessage)] {
        defer { pending = [] }
        return pending.flatMap { change in
            listeners.filter { $0 != change.sender }.map { ($0, change.message) }
        }
    }
}

import AudioIO
import AudioReports
import AudioStreaming
import Threads

/// Takes messages of OSC for a run, acts on them, and answers.
///
/// Thread: control. It is part of the run's loop: `serve` does what has come and what is due, and never waits.
final class OSCServer {
    private let socket: OSCSocket
    private var space: OSCAddressSpace<OSCSocket.Peer>?
    private let inputs: InputLevels
    private let outputs: InputLevels
    private let channels: Int
    /// Changes of controls that nobody was told of yet.
    private var news: [OSCMessage] = []
    private(set) var messages: UInt64 = 0
    private(set) var malformed: UInt64 = 0
    /// What the kernel did not take.
    private(set) var unsent: UInt64 = 0

    /// A turn of the loop takes so many datagrams, so that a flood of them cannot hold up the rest.
    private static let mostAtOnce = 1000

    /// - Throws: as `OSCSocket`.
    init(_ address: PageAddress, channels: Int) throws(Failure) {
        socket = try OSCSocket(host: address.host, port: address.port)
        self.channels = channels
        inputs = InputLevels(channels: channels)
        outputs = InputLevels(channels: channels)
    }

    /// To be polled.
    var descriptor: CInt { socket.descriptor }
    /// As in `127.0.0.1:9000`.
    var place: String { socket.place }
    /// For people: where it is, and what came.
    var words: String {
        "OSC \(place)  \(counted(messages, "message"))" + (refusals > 0 ? "  \(refusals) refused" : "")
            + (malformed > 0 ? "  \(malformed) MALFORMED" : "")
    }
    var changes: UInt64 { space?.changes ?? 0 }
    var refusals: UInt64 { space?.refusals ?? 0 }

    /// Begins to listen to the sound, and to be told of changes.
    func start(_ session: MonitorSession) throws {
        let (inputs, outputs, engine) = (inputs, outputs, session.run.engine)
        try session.tapInputs { inputs.add($0) }
        try engine.tap(engine.output, frames: SoundScope.columnFrames(engine.sampleRate)) { buffer, _ in
            outputs.add(buffer)
        }
        let silence = [Float](repeating: 0, count: channels)
        space = OSCAddressSpace(
            session.controls, session.figures, levels: OSCLevels(inputs: silence, outputs: silence)
        ) { peer, port in peer.at(port: port) }
        session.controls.observe { [weak self] control, value, _ in
            // Not sent at once: a message that is being acted on may be what has changed it.
            if let message = OSCAddressSpace<OSCSocket.Peer>.message(control, value) { self?.news.append(message) }
        }
    }

    /// Acts on what has come, and sends what is due.
    func serve() {
        for _ in 0..<Self.mostAtOnce {
            guard let (bytes, peer) = socket.next() else { break }
            let packet = OSCPacket(bytes)
            malformed += UInt64(packet.malformed)
            for message in packet.messages {
                messages += 1
                let now = MonotonicClock.nanoseconds()
                for reply in space?.answer(message, from: peer, atNanoseconds: now) ?? [] { send(reply, to: peer) }
            }
        }
        sendNews()
        space?.add(OSCLevels(inputs: inputs.take(), outputs: outputs.take()))
        for (peer, message) in space?.takeDue(atNanoseconds: MonotonicClock.nanoseconds()) ?? [] {
            send(message, to: peer)
        }
    }

    /// In seconds, until something is due; infinity where nothing is.
    var pauseSeconds: Double {
        guard let next = space?.subscriptions.nextNanoseconds else { return .infinity }
        let now = MonotonicClock.nanoseconds()
        return next > now ? Double(next - now) / 1e9 : 0
    }

    /// Sends what has changed since the last call.
    private func sendNews() {
        let listeners = space?.subscriptions.listeners() ?? []
        for message in news {
            for peer in listeners { send(message, to: peer) }
        }
        news = []
    }

    private func send(_ message: OSCMessage, to peer: OSCSocket.Peer) {
        if !socket.send(message, to: peer) { unsent += 1 }
    }
}

import AudioDSP

@testable import LiveCommands
@testable import LiveRuns

extension Target {
    /// What a network brings to `--osc`, and what a session manager says: each datagram behind its length, in one byte
    /// and 4 bytes at a time.
    static let osc = Target(name: "osc") { bytes in
        final class Run {
            var gain = 0.0
            var word = "off"
        }
        let run = Run()
        let own = 9001
        let controls = ControlTable([
            Control(.number("gain", "gain", -120...60, unit: "dB")) {
                .number(run.gain)
            } set: {
                if let number = $0.number { run.gain = number }
            },
            Control(.choice("shape", "curve", ["off", "cubic"], initial: "off")) {
                .choice(run.word)
            } set: {
                if let word = $0.word { run.word = word }
            },
        ])
        var space = OSCAddressSpace<Int>(
            controls, [OSCFigure("xruns", "late cycles") { [.integer(0)] }],
            levels: OSCLevels(inputs: [0], outputs: [0])
        ) {
            $0 == own
        }
        var rest = bytes[...]
        var now: UInt64 = 0
        while let length = rest.popFirst() {
            let packet = OSCPacket(Array(rest.prefix(4 * Int(length))))
            rest = rest.dropFirst(4 * Int(length))
            now += 1_000_000
            for message in packet.messages {
                let again = OSCPacket(message.bytes).messages
                require(again.first?.address == message.address, "\(message) is read again as \(again)")
                _ = SessionManager.request(message)
                _ = space.answer(message, from: own, atNanoseconds: now)
                let replies = space.answer(message, from: 1, atNanoseconds: now)
                // Two runs that take each other's replies for messages come to an end.
                let errors = replies.flatMap { space.answer($0, from: 2, atNanoseconds: now) }
                let more = errors.flatMap { space.answer($0, from: 1, atNanoseconds: now) }
                require(more.isEmpty, "\(message) has replies without end: \(more)")
                for reply in replies {
                    require(!reply.bytes.isEmpty, "\(reply.address) has no bytes")
                    if reply.address == "/iounit/error", case .text(let sentence)? = reply.arguments.last {
                        requireHarmless(sentence, "an error")
                    }
                }
            }
            for (peer, _) in space.takeDue(atNanoseconds: now) { require(peer != own, "the run subscribed to itself") }
            require((-120...60).contains(run.gain) && ["off", "cubic"].contains(run.word), "\(run.gain) \(run.word)")
        }
    }
}

import AudioIO
import AudioReports
import AudioVoice
import Jack
import TerminalPages

/// Voice processing in a run: a node between what is heard and what is done to it, which comes and goes while sound runs.
package final class VoiceRun {
    let choice: VoiceChoice
    private let engine: Engine
    private let sources: [any Node]
    private let target: any Node
    /// Where other ports are the far end.
    private let ports: FarPorts?
    private var processor: VoiceProcessor?
    private(set) var isOn = false

    /// - Parameters:
    ///   - sources: whose sound goes to the target already.
    ///   - client: looks for the ports of the far end.
    ///   - unit: what the engine is in JACK's graph.
    package init(
        _ choice: VoiceChoice, _ engine: Engine, from sources: [any Node], to target: any Node,
        unit: EngineConfiguration, on client: borrowing Client
    ) throws {
        self.choice = choice
        self.engine = engine
        self.sources = sources
        self.target = target
        if case .ports(let patterns) = choice.far, choice.options.echo != nil {
            ports = try FarPorts(patterns, beside: unit, engine.policy, on: client)
        } else {
            ports = nil
        }
        if choice.isOn { try turnOn() }
    }

    /// The other client, where there is one.
    package var companion: Engine? { ports?.engine }

    /// What is to be said of it where it does not do all that one may expect.
    package var notices: [String] {
        guard choice.isOn, choice.options.echo != nil else { return [] }
        switch choice.far {
        case .ports(let patterns) where ports == nil:
            let words = patterns.map { "\"\(shown($0))\"" }.joined(separator: " or ")
            return [
                "no port that sends sound matches \(words), so there is no far end, and no echo is cancelled; iounit ports "
                    + "lists them"
            ]
        case .none:
            return [
                "there is no far end, so no echo is cancelled; name the ports that the loudspeaker hears with --far"
            ]
        case .ports, .outputs: return []
        }
    }

    /// Before the engine starts.
    package func start() throws { try ports?.engine.start() }

    func setOn(_ isWanted: Bool) throws {
        guard isWanted != isOn else { return }
        if isWanted { try turnOn() } else { turnOff() }
        let words = choice.options.words
        engine.note("voice processing is \(isOn ? "on: \(library.rawValue), \(words)" : "off")")
    }

    /// What can be changed while it runs: nothing where it was not asked for, as it delays the sound.
    package var controls: [Control] {
        guard choice.engine != nil else { return [] }
        return [
            .flag("voice", "voice processing") {
                self.isOn
            } set: {
                try self.setOn($0)
            }
        ]
    }

    /// As the value of `--voice` with which a run begins as this one is now.
    package var word: String { choice.word(isOn: isOn) }

    private var library: VoiceEngine { choice.library }

    private func turnOn() throws {
        let voice = if let processor { processor } else { try makeProcessor() }
        processor = voice
        try engine.change { () throws(NodeError) in
            for source in sources {
                engine.disconnect(source, from: target)
                try engine.connect(source, to: voice)
            }
            try engine.connect(voice, to: target)
        }
        isOn = true
    }

    /// The node stays, connected to nothing: what it has learned of the room will do next time too.
    private func turnOff() {
        guard let voice = processor else { return }
        engine.change {
            for source in sources {
                engine.disconnect(source, from: voice)
                try? engine.connect(source, to: target)
            }
            engine.disconnect(voice, from: target)
        }
        isOn = false
    }

    private func makeProcessor() throws -> VoiceProcessor {
        let voice = try engine.attach(VoiceProcessor(library, choice.options))
        if choice.options.echo != nil {
            if let ports {
                try voice.setFarEnd(ports.engine.input, of: ports.engine)
            } else if choice.far == .outputs {
                try voice.setFarEnd(engine.output, of: engine)
            }
        }
        voice.onNews { [weak engine] before, now in
            if now.divergences != before.divergences {
                engine?.note("the echo canceller made the sound louder, and began again (\(now.divergences))")
            } else if let delay = now.delayMilliseconds {
                let verb = before.delayMilliseconds == nil ? "comes" : "comes back otherwise than before:"
                engine?.note(
                    "the far end \(verb) \(before.delayMilliseconds == nil ? "back " : "")after \(fixed(delay, 1)) ms")
            }
        }
        return voice
    }

    /// For people, while it is on.
    package var words: String? {
        guard isOn, let figures = processor?.figures else { return nil }
        var parts = ["voice \(library.rawValue)"]
        if choice.options.echo != nil {
            parts.append("echo \(figures.enhancementDecibels.map { "-\(fixed($0, 1)) dB" } ?? "unknown")")
            if let delay = figures.delayMilliseconds { parts.append("delay \(fixed(delay, 1)) ms") }
            if abs(figures.driftPPM) >= 1 { parts.append("drift \(signed(figures.driftPPM)) ppm") }
        }
        if let speech = figures.speechProbability { parts.append("speech \(fixed(speech * 100, 0)) %") }
        if let gain = figures.gainDecibels { parts.append("gain \(signed(gain)) dB") }
        if figures.divergences > 0 { parts.append("DIVERGED \(figures.divergences) times") }
        if figures.underrunFrames > 0 { parts.append("\(figures.underrunFrames) frames LATE") }
        return parts.joined(separator: "  ")
    }

    /// What it has done; `nil` where it was never on.
    package var report: VoiceReport? {
        processor.map { voice in
            let far: [String] =
                switch choice.far {
                case .outputs: ["outputs"]
                case .ports: ports?.names ?? []
                case .none: []
                }
            return VoiceReport(voice, isOn: isOn, far: choice.options.echo == nil ? [] : far)
        }
    }
}

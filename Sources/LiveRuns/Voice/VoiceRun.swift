import AudioIO
import AudioReports
import AudioVoice
import Jack
import TerminalPages

/// Voice processing in a run: a node between what is heard and what is done to it, which comes and goes while sound runs.
package final class VoiceRun: RunPart {
    private let choice: VoiceChoice
    /// Where it stands, once that is known: the sources' sound goes to the target without it.
    private var place: (engine: Engine, sources: [any Node], target: any Node)?
    /// Where other ports are the far end.
    private var ports: FarPorts?
    private var processor: VoiceProcessor?
    private var isOn = false

    init(_ choice: VoiceChoice) { self.choice = choice }

    package func connect(from sources: [any Node], to target: any Node, in engine: Engine) throws {
        place = (engine, sources, target)
        if choice.isOn { try turnOn() }
    }

    package func begin(_ run: EngineRun) throws {
        precondition(place != nil, "who lists voice processing calls connect(from:to:in:)")
        if case .ports(let patterns) = choice.far {
            ports = try FarPorts(patterns, beside: run)
            run.companion = ports?.engine
            ports?.engine.onEvent { [weak engine = run.engine] event in
                switch event.kind {
                case .connectionLost, .connectionRestored: engine?.note("the far end: \(event.kind)")
                case .transition(_, .failed):
                    // Where the unit has failed too, that says all.
                    if case .failed? = engine?.state { return }
                    engine?.note("the far end's client is \(event.kind), so no echo is cancelled any more")
                default: break
                }
            }
        }
        if let processor, let ports { try ports.feed(processor) }
    }

    /// What is to be said of it where it does not do all that one may expect.
    package var notices: [String] { choice.isOn ? farNotices : [] }

    private var farNotices: [String] {
        guard choice.options.echo != nil else { return [] }
        switch choice.far {
        case .ports(let patterns) where ports == nil:
            let words = patterns.map { "\"\(shown($0))\"" }.joined(separator: " or ")
            return [
                "no port that sends sound matches \(words), so there is no far end, and no echo is cancelled; iounit ports "
                    + "lists them"
            ]
        case .nothing:
            return [
                "there is no far end, so no echo is cancelled; name the ports that the loudspeaker hears with --far"
            ]
        case .ports, .outputs, nil: return []
        }
    }

    func setOn(_ isWanted: Bool) throws {
        guard isWanted != isOn else { return }
        if isWanted { try turnOn() } else { turnOff() }
        let words = "\(choice.engine.rawValue), \(choice.options.words)"
        place?.engine.note("voice processing is \(isOn ? "on: \(words)" : "off")")
        // What is on from the start has been told of there.
        if isOn, !choice.isOn { for notice in farNotices { place?.engine.note(notice) } }
    }

    package var controls: [Control] {
        [.flag("voice", "voice processing", get: { self.isOn }, set: { try self.setOn($0) })]
    }

    /// As the value of `--voice` with which a run begins as this one is now.
    package var word: String { choice.word(isOn: isOn) }

    private func turnOn() throws {
        guard let (engine, sources, target) = place else { return }
        let voice = try processor ?? VoiceProcessor(choice.engine, choice.options)
        // An engine that runs takes a node at any rate, and one that cannot work at it is silent.
        try voice.check(sampleRate: engine.sampleRate)
        if processor == nil { try attach(voice, to: engine) }
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
        guard let voice = processor, let (engine, sources, target) = place else { return }
        engine.change {
            for source in sources {
                engine.disconnect(source, from: voice)
                try? engine.connect(source, to: target)
            }
            engine.disconnect(voice, from: target)
        }
        isOn = false
    }

    private func attach(_ voice: VoiceProcessor, to engine: Engine) throws {
        engine.attach(voice)
        if let ports {
            try ports.feed(voice)
        } else if choice.far == .outputs {
            try voice.setFarEnd(engine.output, of: engine)
        }
        voice.onNews { [weak engine] before, now in
            if now.divergences != before.divergences {
                engine?.note("the echo canceller made the sound louder, and began again (\(now.divergences))")
            } else if let delay = now.delayMilliseconds {
                let change = before.delayMilliseconds == nil ? "" : " otherwise than before:"
                engine?.note("the far end comes back\(change) after \(fixed(delay, 1)) ms")
            }
        }
    }

    package var words: [String] {
        guard isOn, let figures = processor?.figures else { return [] }
        var parts = ["voice \(choice.engine.rawValue)"]
        if choice.options.echo != nil {
            parts.append("echo \(figures.enhancementDecibels.map { "\(signed(-$0)) dB" } ?? "unknown")")
            if let delay = figures.delayMilliseconds { parts.append("delay \(fixed(delay, 1)) ms") }
            if abs(figures.driftPPM) >= 1 { parts.append("drift \(signed(figures.driftPPM)) ppm") }
        }
        if let speech = figures.speechProbability { parts.append("speech \(fixed(speech * 100, 0)) %") }
        if let gain = figures.gainDecibels { parts.append("gain \(signed(gain)) dB") }
        if figures.divergences > 0 { parts.append("DIVERGED \(timesInWords(figures.divergences))") }
        if figures.underrunFrames > 0 { parts.append("\(figures.underrunFrames) frames LATE") }
        return parts
    }

    /// What it has done; `nil` where it was never on.
    package var report: VoiceReport? {
        processor.map { voice in
            let far: [String] =
                switch choice.far {
                case .outputs: ["outputs"]
                case .ports: ports?.names ?? []
                case .nothing, nil: []
                }
            return VoiceReport(
                engine: voice.engine.rawValue, options: voice.options.words, on: isOn, far: far,
                latencyFrames: voice.latencyFrames, figures: voice.figures)
        }
    }
}

/// Ports of others that the far end is taken from: by a client beside the unit's, which only listens.
private struct FarPorts {
    let engine: Engine
    /// The names of the ports when it was made.
    let names: [String]

    /// - Parameter run: that of the unit, before its start.
    /// - Returns: `nil` where no pattern matches.
    init?(_ patterns: [String], beside run: EngineRun) throws(UnitError) {
        let unit = run.unit.client.configuration
        var configuration = EngineConfiguration()
        var name = unit.clientName
        while !Client.isName("\(name)-far") { name.removeLast() }
        configuration.clientName = "\(name)-far"
        configuration.serverName = unit.serverName
        configuration.inputs = .firstOf(patterns)
        configuration.outputs = .none
        configuration.outputChannels = 1
        let sources: [String]
        do throws(UnitError) {
            sources = try run.partners(of: configuration).sources
        } catch {
            guard case .nothingMatches = error else { throw error }
            return nil
        }
        configuration.inputChannels = min(sources.count, 8)
        names = Array(sources.prefix(8))
        var policy = run.engine.policy
        // It makes no sound: where the unit's return is asked for, it comes back by itself.
        if policy.consent == .ask { policy.consent = .automatic }
        engine = try Engine(configuration, policy: policy)
    }

    func feed(_ voice: VoiceProcessor) throws { try voice.setFarEnd(engine.input, of: engine) }
}

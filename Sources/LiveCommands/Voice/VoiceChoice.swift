import AudioReports
import AudioVoice
import CommandSyntax

/// The options about voice processing.
struct VoiceChoice {
    /// Where what the loudspeaker plays is taken from.
    enum Far: Equatable {
        case none
        case outputs
        /// The ports that the first of these patterns finds, if it finds any; else those of the next.
        case ports([String])
    }

    /// - Parameter far: where the far end is taken from, if nothing is said.
    static func group(far: String) -> (heading: String, options: [Option]) {
        (
            "Voice",
            [
                Option(
                    "voice", "ENGINE",
                    "take echo and noise out of the inputs: off, webrtc, for meetings, or speex, which leaves who speaks "
                        + "or sings over the echo (off)",
                    of: ["off"] + VoiceEngine.allCases.map(\.rawValue)),
                Option(
                    "voice-options", "WORDS",
                    "what to do, separated by commas: echo, noise, gain, highpass; echo and noise may be =low, "
                        + "=moderate or =high (echo)"),
                Option(
                    "far", "PATTERN",
                    "the ports that feed the loudspeaker, by name, or none; see --input (\(far))"
                ),
            ]
        )
    }

    /// `nil` where none was chosen.
    var engine: VoiceEngine?
    /// Whether the run begins with it.
    var isOn: Bool
    var options: VoiceOptions
    var far: Far

    /// The value of `--voice` that chooses a library and begins without it.
    static func off(_ engine: VoiceEngine) -> String { "\(engine.rawValue):off" }

    /// - Parameters:
    ///   - far: where nothing is said.
    ///   - canBeSwitched: whether it can be turned on and off while the run lasts.
    init(_ arguments: Arguments, far: Far, canBeSwitched: Bool) throws(Failure) {
        let held = VoiceEngine.allCases.first { canBeSwitched && arguments.value("voice") == Self.off($0) }
        let name = held == nil ? try arguments.choice("voice") : nil
        engine = held ?? name.flatMap { VoiceEngine(rawValue: $0) }
        isOn = engine != nil && held == nil
        options = VoiceOptions()
        if let words = arguments.value("voice-options") {
            guard let understood = VoiceOptions(words) else {
                throw Failure(
                    .usage,
                    "--voice-options takes echo, noise, gain and highpass with commas between them, and echo or noise "
                        + "with =low, =moderate or =high, not \"\(shown(words))\"")
            }
            options = understood
        }
        let patterns = arguments.values("far")
        try arguments.require(!patterns.contains(""), "--far needs a pattern; use none for no far end")
        self.far = patterns.isEmpty ? far : patterns == ["none"] ? .none : .ports(patterns)
        for option in ["voice-options", "far"] where engine == nil && !canBeSwitched {
            try arguments.require(!arguments.has(option), "--\(option) needs --voice webrtc or speex")
        }
        try arguments.require(
            patterns.isEmpty || options.echo != nil, "--far is of echo, which --voice-options does not name")
    }
}

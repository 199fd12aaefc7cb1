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

    /// - Parameters:
    ///   - far: where the far end is taken from, if nothing is said.
    ///   - canBeSwitched: whether it can be turned on and off while the run lasts.
    static func group(far: String, canBeSwitched: Bool = false) -> (heading: String, options: [Option]) {
        (
            "Voice",
            [
                Option(
                    "voice", "ENGINE",
                    "take echo and noise out of the inputs: off, webrtc, for meetings, or speex, which leaves who speaks "
                        + "or sings over the echo (off)"
                        + (canBeSwitched ? "; webrtc:off and speex:off wait for the key e" : ""),
                    of: ["off"] + VoiceEngine.allCases.map(\.rawValue)
                        + (canBeSwitched ? VoiceEngine.allCases.map(off) : [])),
                Option(
                    "voice-options", "WORDS",
                    "what to do, separated by commas: echo, noise, gain, highpass; echo and noise may be =low, "
                        + "=moderate or =high (echo)"
                )
                .needs(["voice"]),
                Option(
                    "far", "PATTERN",
                    "the ports that feed the loudspeaker, by name, or none; see --input (\(far))"
                )
                .needs(["voice"]),
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

    /// The one that is used where it is on.
    var library: VoiceEngine { engine ?? .webrtc }

    /// As the value of `--voice`, of a run that has it on or off.
    func word(isOn: Bool) -> String { isOn ? library.rawValue : engine.map(Self.off) ?? "off" }

    /// - Parameter far: where nothing is said.
    init(_ arguments: Arguments, far: Far) throws(Failure) {
        let word = try arguments.choice("voice")
        engine = VoiceEngine.allCases.first { [$0.rawValue, Self.off($0)].contains(word) }
        isOn = engine != nil && engine?.rawValue == word
        options = VoiceOptions()
        if let words = arguments.value("voice-options") {
            guard let understood = VoiceOptions(words) else {
                throw Failure(
                    .usage,
                    "--voice-options takes echo, noise, gain and highpass with commas between them, and echo or noise "
                        + "with =low, =moderate or =high, not \"\(shown(words))\"", of: "voice-options")
            }
            options = understood
        }
        let patterns = arguments.values("far")
        try arguments.require(!patterns.contains(""), "--far needs a pattern; use none for no far end", of: "far")
        self.far = patterns.isEmpty ? far : patterns == ["none"] ? .none : .ports(patterns)
        try arguments.require(
            patterns.isEmpty || options.echo != nil, "--far is of echo, which --voice-options does not name", of: "far",
            "voice-options")
    }
}

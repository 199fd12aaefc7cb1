import AudioReports
import AudioVoice
import CommandSyntax

/// The options about voice processing.
package struct VoiceChoice {
    /// Where what the loudspeaker plays is taken from.
    package enum Far: Equatable {
        case none
        case outputs
        /// The ports that the first of these patterns finds, if it finds any; else those of the next.
        case ports([String])
    }

    /// - Parameters:
    ///   - far: where the far end is taken from, if nothing is said.
    ///   - canBeSwitched: whether it can be turned on and off while the run lasts.
    package static func group(far: String, canBeSwitched: Bool = false) -> (heading: String, options: [Option]) {
        (
            "Voice",
            [
                voice(canBeSwitched: canBeSwitched).option,
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

    /// What a run begins with; `nil` for no engine.
    private typealias Beginning = (engine: VoiceEngine?, isOn: Bool)

    private static func voice(canBeSwitched: Bool) -> TypedOption<Beginning> {
        let none: Beginning = (nil, false)
        let on: [Beginning] = VoiceEngine.allCases.map { ($0, true) }
        let off: [Beginning] = canBeSwitched ? VoiceEngine.allCases.map { ($0, false) } : []
        return .choice(
            "voice", "ENGINE", [none] + on + off, { word($0) }, initial: none,
            "take echo and noise out of the inputs: off, webrtc, for meetings, or speex, which leaves who speaks or sings "
                + "over the echo", more: canBeSwitched ? "; webrtc:off and speex:off wait for the key e" : "")
    }

    /// As the value of `--voice`.
    private static func word(_ beginning: Beginning) -> String {
        beginning.engine.map { beginning.isOn ? $0.rawValue : off($0) } ?? "off"
    }

    /// `nil` where none was chosen.
    var engine: VoiceEngine?
    /// Whether the run begins with it.
    package var isOn: Bool
    var options: VoiceOptions
    var far: Far

    /// The value of `--voice` that chooses a library and begins without it.
    static func off(_ engine: VoiceEngine) -> String { "\(engine.rawValue):off" }

    /// The one that is used where it is on.
    var library: VoiceEngine { engine ?? .webrtc }

    /// As the value of `--voice`, of a run that has it on or off.
    package func word(isOn: Bool) -> String { Self.word((isOn ? library : engine, isOn)) }

    /// - Parameter far: where nothing is said.
    package init(_ arguments: Arguments, far: Far) throws(Failure) {
        // Of a run that cannot be switched the syntax has no word that begins switched off.
        (engine, isOn) = try arguments.value(of: Self.voice(canBeSwitched: true))
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

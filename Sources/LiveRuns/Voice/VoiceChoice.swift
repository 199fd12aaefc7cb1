import AudioFigures
import AudioIO
import AudioReports
import AudioVoice
import CommandSyntax
import ServerRuns

package struct VoiceChoice: PartOptions {
    /// Where what the loudspeaker plays is taken from.
    package enum Far: Equatable {
        case nothing
        case outputs
        /// The ports that the first of these patterns finds, if it finds any; else those of the next.
        case ports([String])
    }

    private typealias Word = VoiceOptions.Word

    package static let group = optionGroup("Voice", voice.option, words.option, farPorts.option)

    private static let words = TypedOption<VoiceOptions>(
        Option(
            "voice-options", "WORDS",
            "what to do, separated by commas: \(Word.words.joined(separator: ", ")); \(Word.graded.listed("and")) may be "
                + "\(Word.strengths.listed("or")) (\(VoiceOptions().words))"
        )
        .offering(Word.words).needs(["voice"])
    ) { words, _ throws(Failure) in
        guard let words else { return VoiceOptions() }
        guard let options = VoiceOptions(words) else {
            throw Failure(
                .usage,
                "--voice-options takes \(Word.words.listed("and")) with commas between them, and "
                    + "\(Word.graded.listed("or")) with \(Word.strengths.listed("or")), not \"\(shown(words))\"",
                of: "voice-options")
        }
        return options
    }
    private static let farPorts = TypedOption<[String]>.patterns(
        "far", none: "no far end",
        "the ports that feed the loudspeaker, by name, or none; see --input (what goes to the outputs, or "
            + "none in record and send without --output)"
    ).with { $0.needs(["voice"]) }

    /// What a run begins with; `nil` for no engine.
    private typealias Beginning = (engine: VoiceEngine?, isOn: Bool)

    private static let voice: TypedOption<Beginning> = {
        let neither: Beginning = (nil, false)
        let all = [true, false].flatMap { isOn in VoiceEngine.allCases.map { ($0 as VoiceEngine?, isOn) } }
        return .choice(
            "voice", "ENGINE", [neither] + all, { word($0) }, initial: neither,
            "take echo and noise out of the inputs: off; webrtc, for meetings; or speex, which keeps a voice that is heard "
                + "together with the echo", more: "; webrtc:off and speex:off are off until turned on")
    }()

    package static var option: Option { voice.option }
    /// The value of `--voice` without any.
    package static let none = "off"

    /// As the value of `--voice`.
    private static func word(_ beginning: Beginning) -> String {
        beginning.engine.map { beginning.isOn ? $0.rawValue : off($0) } ?? none
    }

    let engine: VoiceEngine
    /// Whether the run begins with it.
    let isOn: Bool
    let options: VoiceOptions
    /// `nil` where the words do not say it, until `prepare` has decided.
    private(set) var far: Far?

    /// The value of `--voice` that chooses a library and begins without it.
    static func off(_ engine: VoiceEngine) -> String { "\(engine.rawValue):off" }

    /// As the value of `--voice`, of a run that has it on or off.
    func word(isOn: Bool) -> String { Self.word((engine, isOn)) }

    /// The same of a run that has begun as was asked for.
    package var word: String { word(isOn: isOn) }

    package init?(_ arguments: Arguments) throws(Failure) {
        let (engine, isOn) = try arguments.value(of: Self.voice)
        options = try arguments.value(of: Self.words)
        let patterns = try arguments.value(of: Self.farPorts)
        try arguments.require(
            patterns.isEmpty || options.echo != nil, "--far is of echo, which --voice-options does not name", of: "far",
            "voice-options")
        guard let engine else { return nil }
        self.engine = engine
        self.isOn = isOn
        far = patterns.isEmpty ? nil : patterns == ["none"] ? .nothing : .ports(patterns)
    }

    /// What goes to no loudspeaker comes back as no echo, and without echo there is no far end.
    package mutating func prepare(_ configuration: inout EngineConfiguration, on server: ServerOptions) {
        far = far ?? (options.echo == nil || configuration.outputs == .none ? .nothing : .outputs)
    }

    package func open(inputs: Int, outputs: Int) -> VoiceRun { VoiceRun(self) }
}

import AudioDSP
import AudioIO
import AudioReports
import CommandSyntax

/// An option that puts an effect into the path of the sound, with its parameters by name, as
/// `--compressor threshold=-24,ratio=3`.
struct EffectOption<Setting: ParameterSetting> {
    let name: String

    /// All that can be said of it comes from the fields. Its value is `nil` where it is not given.
    func option(_ does: String) -> TypedOption<Setting?> {
        let parameters = fields.map { field in
            var takes = field.info.takes
            if takes.hasPrefix("a number from ") { takes = String(takes.dropFirst("a number from ".count)) }
            return "\(field.info.name) \(takes) (\(field.info.word(field.info.initial)))"
        }
        return TypedOption(
            Option(
                name, optional: "NAME=VALUE,…",
                "\(does), with its parameters by name: \(parameters.joined(separator: "; "))")
        ) { word, _ throws(Failure) in
            try word.map(setting)
        }
    }

    private func setting(_ text: String) throws(Failure) -> Setting {
        func bad(_ reason: String) -> Failure { Failure(.usage, "--\(name) \(shown(text)): \(reason)", of: name) }
        var setting = Setting()
        for part in text.split(separator: ",", omittingEmptySubsequences: true) {
            let key = String(part.prefix { $0 != "=" })
            let word = part.firstIndex(of: "=").map { String(part[part.index(after: $0)...]) }
            guard let field = fields.first(where: { $0.info.name == key }) else {
                let names = fields.map(\.info.name).joined(separator: ", ")
                throw bad("there is no \(shown(key)); its parameters are \(names)")
            }
            guard let value = word.flatMap({ field.info.value(word: $0) }), field.info.accepts(value) else {
                throw bad("\(key) takes \(field.info.takes), as in \(key)=\(field.info.word(field.info.initial))")
            }
            field.set(value, in: &setting)
        }
        return setting
    }

    /// As `setting` reads it, with numbers rounded to thousandths.
    func word(_ setting: Setting) -> String {
        fields.map { "\($0.info.name)=\($0.info.word($0.value(in: setting)))" }.joined(separator: ",")
    }

    /// Its bypass is `--bypass`, which is one for all that changes the sound.
    private var fields: [ParameterField<Setting>] { Setting.fields.filter { $0.info.name != "bypass" } }
}

/// What changes the sound beside the shaper and the equaliser, in the order of the path: the one before the gain, the other
/// behind the shape.
struct Effects {
    static let compressor = EffectOption<CompressorSetting>(name: "compressor")
    static let limiter = EffectOption<LimiterSetting>(name: "limiter")

    static let options = [compressing.option, limiting.option]

    private static let compressing = compressor.option("make what is above a threshold softer, before the gain")
    private static let limiting = limiter.option(
        "keep the true peak of the outputs below a ceiling, after the shape; adds \(Limiter.latencyFrames) frames of latency"
    )

    /// `nil`, here and below, where there is none.
    var compressor: CompressorSetting?
    var limiter: LimiterSetting?

    /// As the options that they came from.
    var words: [(name: String, value: String)] {
        [
            compressor.map { (Self.compressor.name, Self.compressor.word($0)) },
            limiter.map { (Self.limiter.name, Self.limiter.word($0)) },
        ].compactMap(\.self)
    }
}

extension Effects {
    init(_ arguments: Arguments, isBypassed: Bool) throws(Failure) {
        compressor = try arguments.value(of: Self.compressing)
        compressor?.isBypassed = isBypassed
        limiter = try arguments.value(of: Self.limiting)
        limiter?.isBypassed = isBypassed
    }
}

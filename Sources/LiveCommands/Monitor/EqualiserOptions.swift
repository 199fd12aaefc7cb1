import AudioDSP
import AudioIO
import AudioReports
import CommandSyntax

/// The option `--eq`: bands of an equaliser, as people write them.
enum EqualiserOptions {
    /// In the order of the words.
    static let bands = TypedOption<[EqualiserBand]>.repeated(
        Option(
            "eq", "BAND",
            "a band of an equaliser before the gain: KIND:HZ:DB[:Q] for a peak, lowshelf or highshelf, as peak:1k:-3:1.4, "
                + "and KIND:HZ[:Q] for a lowpass, highpass or notch; :off at its end leaves it switched off; may be repeated, "
                + "up to \(limit)")
    ) { words, arguments throws(Failure) in
        try arguments.require(words.count <= limit, "--eq takes up to \(limit) bands", of: "eq")
        return try words.map(band)
    }

    private static let limit = Equaliser.maximumBands

    /// Complains of a band that the run's sound has nothing of.
    static func check(_ bands: [EqualiserBand], sampleRate: Int) throws(Failure) {
        guard let band = bands.first(where: { $0.hertz >= Double(sampleRate) / 2 }) else { return }
        throw Failure(
            .usage,
            "--eq \(band.kind.name):\(shortest(band.hertz)) has no effect: at \(sampleRate) Hz, the sample rate of the run, "
                + "sound has frequencies below \(shortest(Double(sampleRate) / 2)) Hz alone", of: "eq")
    }

    /// Reads `peak:1k:-3dB:1.4`.
    static func band(_ word: String) throws(Failure) -> EqualiserBand {
        func bad(_ reason: String) -> Failure { Failure(.usage, "--eq \(shown(word)): \(reason)", of: "eq") }
        var parts = word.split(separator: ":", omittingEmptySubsequences: false).map(String.init)[...]
        let isOn = parts.last != "off"
        if !isOn { parts.removeLast() }
        guard let name = parts.popFirst(), let kind = EqualiserBand.Kind(name: name) else {
            throw bad("the kinds are \(EqualiserBand.Kind.allCases.map(\.name).joined(separator: ", "))")
        }
        let example = "\(kind.name):\(kind.hasGain ? "1k:-3" : "80")"
        let hertz = parts.popFirst().flatMap { Quantity.hertz($0) }
        guard let hertz, EqualiserBand.hertzRange.contains(hertz) else {
            throw bad(
                "after \(kind.name) comes a frequency from \(EqualiserBand.hertzRange.words) Hz, as in \(example)")
        }
        var decibels = 0.0
        if kind.hasGain {
            guard let level = parts.popFirst().flatMap({ Quantity.decibels($0) }),
                EqualiserBand.decibelsRange.contains(level)
            else {
                throw bad(
                    "after the frequency comes a gain from \(EqualiserBand.decibelsRange.words) dB, as in \(example)")
            }
            decibels = level
        }
        var q = 0.5.squareRoot()
        if let text = parts.popFirst() {
            guard let number = Double(decimal: text), EqualiserBand.qRange.contains(number) else {
                throw bad("at the end comes a Q from \(EqualiserBand.qRange.words), as in \(example):1.4")
            }
            q = number
        }
        guard parts.isEmpty else { throw bad("there is too much after \(example):1.4") }
        return EqualiserBand(kind, hertz: hertz, q: q, decibels: decibels, isOn: isOn)
    }

    /// As `band` reads it, rounded to thousandths.
    static func word(_ band: EqualiserBand) -> String {
        func plain(_ number: Double) -> String { shortest(thousandths(number)) }
        let level = band.kind.hasGain ? ":\(plain(band.decibels))" : ""
        return "\(band.kind.name):\(plain(band.hertz))\(level):\(plain(band.q))" + (band.isOn ? "" : ":off")
    }
}

/// What is done against the harmonics of a shaper that lie beyond half the sample rate, and would fold back from there
/// as tones that are no harmonics.
///
/// Two means, alone or together. *Oversampling* raises the rate by half-band filters before the curve and lowers it
/// again behind. *ADAA*, antiderivative antialiasing of first order, replaces the curve's value at a sample by its mean
/// from the sample before to this one (Parker, Zavalishin and Le Bivic, DAFx-16; Bilbao, Esqueda, Parker and Välimäki,
/// IEEE Signal Processing Letters, 2017). The mean costs half a sample of delay and, where the curve is straight,
/// high notes: at 44.1 kHz −2.4 dB at 10 kHz and −10.9 dB at 18 kHz, at twice that rate −0.6 and −1.9 dB, at four times that
/// rate −0.1 and −0.5 dB.
///
/// What leaves the curve is within ±1, but once filtered it may swing beyond, as whatever is limited in band does: a
/// square wave by 18 % and more.
public enum Antialiasing: UInt8, Sendable, BitwiseCopyable, ParameterChoice {
    /// The bare curve.
    case off
    /// ADAA at the sample rate itself: the cheapest, with half a frame of delay.
    case adaa
    /// Oversampling by two.
    case twofold
    /// Oversampling by four.
    case fourfold
    /// ADAA at twice the sample rate.
    case adaaTwofold
    /// ADAA at four times the sample rate.
    case best

    /// Its name on the command line and in reports.
    public var name: String {
        switch self {
        case .off: "off"
        case .adaa: "adaa"
        case .twofold: "2x"
        case .fourfold: "4x"
        case .adaaTwofold: "adaa+2x"
        case .best: "best"
        }
    }

    /// See `Shape.number`.
    var number: UInt8 { @_noLocks @_noAllocation get { rawValue } }

    /// How many times as many samples the curve sees: 1, 2 or 4.
    public var oversampling: Int {
        @_noLocks @_noAllocation get {
            switch self {
            case .off, .adaa: 1
            case .twofold, .adaaTwofold: 2
            case .fourfold, .best: 4
            }
        }
    }

    /// Whether the curve's mean between two samples takes the place of its value.
    public var usesAntiderivative: Bool {
        @_noLocks @_noAllocation get {
            switch self {
            case .off, .twofold, .fourfold: false
            case .adaa, .adaaTwofold, .best: true
            }
        }
    }
}

/// How the filters of the oversampler delay a sound. Without effect where there is no oversampling.
public enum FilterPhase: UInt8, Sendable, BitwiseCopyable, ParameterChoice {
    /// All frequencies alike, by 65 to 70 frames: the waveform keeps its shape.
    case linear
    /// As little as the filters' steepness allows, 3.2 to 4.4 frames for low notes; the highest come later.
    case minimum

    /// Its name on the command line and in reports.
    public var name: String {
        switch self {
        case .linear: "linear"
        case .minimum: "minimum"
        }
    }

    /// See `Shape.number`.
    var number: UInt8 { @_noLocks @_noAllocation get { rawValue } }
}

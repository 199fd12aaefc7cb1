import AudioDSP
import AudioRealtime

/// A change of one parameter.
public enum Command: Sendable {
    /// Linear gain.
    case gain(Float)
    /// Linear gain into the shaper.
    case drive(Float)
    case shape(Shape)
    case antialiasing(Antialiasing)
    case phase(FilterPhase)
    case makeUpGain(Bool)
    case bypass(Bool)
    case mute(Bool)
}

extension ShaperSetting {
    /// With a curve, so that what is lost, doubled or late can be heard.
    public static var cubic: ShaperSetting {
        var parameters = ShaperSetting()
        parameters.shape = .cubic
        return parameters
    }

    public mutating func apply(_ command: Command) {
        switch command {
        case .gain(let value): gain = value
        case .drive(let value): drive = value
        case .shape(let value): shape = value
        case .antialiasing(let value): antialiasing = value
        case .phase(let value): phase = value
        case .makeUpGain(let value): hasMakeUpGain = value
        case .bypass(let value): isBypassed = value
        case .mute(let value): isMuted = value
        }
    }
}

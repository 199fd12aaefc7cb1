import AudioDSP

/// A port of a plug-in.
public struct PluginPort: Sendable, Equatable {
    /// What goes through a port.
    public enum Kind: String, Sendable {
        /// `cv` has the form of sound, and is treated as such.
        case audio, cv, control, atom
        /// One that this host knows nothing of.
        case other
    }

    /// What LV2 says that a port is for, beside the sound.
    public enum Purpose: String, Sendable {
        /// It shows the plug-in's latency in frames.
        case latency
        /// It switches the plug-in off and on without a click.
        case enabled
        /// It tells the plug-in whether no clock drives it.
        case freeWheeling
        /// It takes sound that controls the plug-in, and is not heard.
        case sideChain
    }

    /// Among the plug-in's ports, from 0.
    public let index: Int
    /// As in presets; unique within the plug-in.
    public let symbol: String
    /// For people.
    public let name: String
    /// What goes through it.
    public let kind: Kind
    /// Whether the plug-in reads it; else it writes to it.
    public let isInput: Bool
    /// Whether it may be left unconnected.
    public let isOptional: Bool
    /// `nil` where it is for nothing beside the sound.
    public let purpose: Purpose?
    /// Of control ports: what it can be set to, or what it shows. Its summary is the port's name. Its name is the symbol, but
    /// `bypass_port` and `preset_port` of inputs with the symbols `bypass` and `preset`.
    public internal(set) var parameter: ParameterInfo?
    /// Of an input that is a trigger, as a reset: the number that it goes back to once the plug-in has seen another one; `nil` for
    /// what keeps its number.
    let restNumber: Float?
    /// Whether it is of events, and takes or makes those of MIDI.
    public let hasMIDI: Bool
    /// The numbers that the words of a choice stand for.
    let choices: [Double]
    /// How much memory an atom port asks for at least; up to 4 GB.
    let minimumBytes: Int

    /// The memory that an atom port has: 8192 bytes, where it asks for no more.
    var eventBytes: Int { kind == .atom ? max(8192, minimumBytes) : 0 }

    /// The ports that it belongs to, as those of stereo sound (`pg:group`): the URI of that group; `nil` where it is in none.
    let group: String?
    /// Whether it is a channel of the sound. See `PortReader.markChannels`.
    var isChannel = false

    /// Whether what is set there happens once.
    package var isTrigger: Bool { restNumber != nil }

    /// What the port has where nobody has set its parameter.
    package var initialNumber: Float { restNumber ?? parameter.map { number($0.initial) } ?? 0 }

    /// What the port gets for a value of its parameter.
    public func number(_ value: ParameterValue) -> Float {
        switch value {
        case .number(let number): Float(parameter?.stepped(number) ?? number)
        case .flag(let isOn): isOn ? 1 : 0
        case .choice(let word): Float(parameter?.words.firstIndex(of: word).map { choices[$0] } ?? 0)
        case .action: 1
        }
    }

    /// What the parameter stands at where the port has a number: of words, the one whose number is nearest.
    func value(_ number: Float) -> ParameterValue {
        guard let parameter else { return .number(number.decimal) }
        switch parameter.kind {
        case .number: return .number(number.decimal)
        case .flag: return .flag(number > 0)
        case .action: return .action
        case .choice(let words):
            // Within the range first: to an infinite number all are as near.
            let wanted = min(max(Double(number), choices.first ?? 0), choices.last ?? 0)
            let nearest = choices.indices.min { abs(choices[$0] - wanted) < abs(choices[$1] - wanted) }
            return .choice(nearest.map { words[$0] } ?? "")
        }
    }

    /// A number from elsewhere, as a preset, moved into the port's range; `nil` of NaN.
    func inRange(_ number: Float) -> Float? {
        guard !number.isNaN, let parameter else { return nil }
        if case .number(let range, _, _, _) = parameter.kind {
            return self.number(.number(min(max(number.decimal, range.lowerBound), range.upperBound)))
        }
        return self.number(value(number))
    }
}

extension ParameterInfo {
    /// Those of a choice.
    package var words: [String] { if case .choice(let words) = kind { words } else { [] } }
}

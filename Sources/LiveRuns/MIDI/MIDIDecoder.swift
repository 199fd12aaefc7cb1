import AudioRealtime

/// What a source of a controller says.
struct MIDIReading: Hashable {
    var source: MIDISource
    /// 0…`source.top`. Of a note the velocity; 0 where it is let go.
    var value: Int
}

/// Puts together what controllers send in several messages: pairs of fourteen bits, and non-registered parameters.
struct MIDIDecoder {
    private struct Channel {
        /// The upper seven bits of each pair, as they came last.
        var upper = [Int](repeating: 0, count: 32)
        /// The non-registered parameter that is chosen; `nil` where none is.
        var parameter: (upper: Int?, lower: Int?)?
        var dataUpper = 0
        /// Whether the lower seven bits of data have ever come.
        var sendsLower = false
    }

    private var channels = [Channel](repeating: Channel(), count: 16)

    /// What a message says: a controller may be one of seven bits, half of a pair, and data of a parameter.
    ///
    /// - Parameter isEcho: whether it is none of a controller's own, and does not tell what that sends.
    mutating func read(_ message: MIDIMessage, isEcho: Bool = false) -> [MIDIReading] {
        let (first, second) = (Int(message.first), Int(message.second))
        func reading(_ kind: MIDISource.Kind, _ value: Int) -> MIDIReading {
            MIDIReading(source: MIDISource(channel: message.channel, kind: kind), value: value)
        }
        switch message.status & 0xf0 {
        case 0x80: return [reading(.note(first), 0)]
        case 0x90: return [reading(.note(first), second)]
        case 0xe0: return [reading(.bend, second << 7 | first)]
        case 0xb0:
            var readings = [reading(.control(first), second)]
            if let pair = pair(message.channel - 1, first, second) { readings.append(reading(.pair(pair.0), pair.1)) }
            if let parameter = parameter(message.channel - 1, first, second, isEcho) {
                readings.append(reading(.parameter(parameter.0), parameter.1))
            }
            return readings
        default: return []
        }
    }

    /// The upper half stands for a lower one of 0, until that comes: so the MIDI specification has it.
    private mutating func pair(_ channel: Int, _ number: Int, _ value: Int) -> (Int, Int)? {
        switch number {
        case 0..<32:
            channels[channel].upper[number] = value
            return (number, value << 7)
        case 32..<64: return (number - 32, channels[channel].upper[number - 32] << 7 | value)
        default: return nil
        }
    }

    private mutating func parameter(_ channel: Int, _ number: Int, _ value: Int, _ isEcho: Bool) -> (Int, Int)? {
        switch number {
        case 99: channels[channel].parameter = (value, channels[channel].parameter?.lower)
        case 98: channels[channel].parameter = (channels[channel].parameter?.upper, value)
        // A registered one is chosen in its place.
        case 100, 101: channels[channel].parameter = nil
        case 6, 38:
            guard let parameter = channels[channel].parameter, let upper = parameter.upper, let lower = parameter.lower,
                (upper, lower) != (127, 127)
            else { return nil }
            let chosen = upper << 7 | lower
            guard number == 6 else {
                if !isEcho { channels[channel].sendsLower = true }
                return (chosen, channels[channel].dataUpper << 7 | value)
            }
            channels[channel].dataUpper = value
            // A controller that sends no lower bits would never reach the top with 0 for them.
            return (chosen, value << 7 | (channels[channel].sendsLower ? 0 : value))
        default: break
        }
        return nil
    }
}

extension MIDISource {
    /// What tells a controller where it is to stand, or a lamp whether it is lit.
    ///
    /// - Parameter position: 0…1.
    func messages(at position: Double) -> [MIDIMessage] {
        let value = Int((min(max(position, 0), 1) * Double(top)).rounded())
        let (upper, lower) = (UInt8(value >> 7 & 0x7f), UInt8(value & 0x7f))
        let control = 0xb0 | UInt8(channel - 1)
        switch kind {
        case .control(let number): return [MIDIMessage(control, UInt8(number), lower)]
        case .pair(let number):
            return [MIDIMessage(control, UInt8(number), upper), MIDIMessage(control, UInt8(number + 32), lower)]
        case .parameter(let number):
            return [
                MIDIMessage(control, 99, UInt8(number >> 7)), MIDIMessage(control, 98, UInt8(number & 0x7f)),
                MIDIMessage(control, 6, upper), MIDIMessage(control, 38, lower),
            ]
        case .note(let number): return [MIDIMessage(0x90 | UInt8(channel - 1), UInt8(number), lower)]
        case .bend: return [MIDIMessage(0xe0 | UInt8(channel - 1), lower, upper)]
        }
    }
}

import AudioFiles

/// The identification header of Opus (RFC 7845, section 5.1), which tells a decoder how the channels lie in the packets.
struct OpusHead: Equatable {
    var channels: Int
    /// Samples at 48 kHz that a decoder drops at the start.
    var preSkip: Int
    /// Of what was encoded, in hertz.
    var inputRate: Int
    /// How channels are ordered: 0 for one or two, 1 for up to 8 loudspeakers in Vorbis' order, 255 for no order.
    var family: Int
    var streams: Int
    var coupledStreams: Int
    var mapping: [UInt8]
    /// What a decoder makes of the level, in decibels by 256.
    var gain = 0

    var bytes: [UInt8] {
        var bytes = Array("OpusHead".utf8) + [1, UInt8(channels)]
        bytes.append(littleEndian: UInt16(truncatingIfNeeded: preSkip))
        bytes.append(littleEndian: UInt32(truncatingIfNeeded: inputRate))
        bytes.append(littleEndian: Int16(truncatingIfNeeded: gain))
        bytes.append(UInt8(family))
        if family != 0 { bytes += [UInt8(streams), UInt8(coupledStreams)] + mapping }
        return bytes
    }
}

extension OpusHead {
    /// Reads one; `nil` where it is none, or says what cannot be.
    init?(_ bytes: [UInt8]) {
        guard bytes.count >= 19, bytes.starts(with: "OpusHead".utf8), bytes[8] & 0xf0 == 0, bytes[9] > 0 else {
            return nil
        }
        channels = Int(bytes[9])
        preSkip = bytes.littleEndian(10, 2)
        inputRate = bytes.littleEndian(12, 4)
        gain = Int(Int16(truncatingIfNeeded: bytes.littleEndian(16, 2)))
        family = Int(bytes[18])
        guard family != 0 else {
            guard channels <= 2 else { return nil }
            (streams, coupledStreams, mapping) = (1, channels - 1, Array([0, 1].prefix(channels)))
            return
        }
        guard bytes.count >= 21 + channels else { return nil }
        (streams, coupledStreams) = (Int(bytes[19]), Int(bytes[20]))
        mapping = Array(bytes[21..<(21 + channels)])
        let known = streams + coupledStreams
        guard streams >= 1, coupledStreams <= streams, known <= 255,
            mapping.allSatisfy({ $0 == 255 || Int($0) < known })
        else { return nil }
    }
}

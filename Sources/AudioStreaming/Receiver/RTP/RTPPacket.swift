import AudioFiles

/// One packet of RTP, as it came (RFC 3550, section 5.1). Any bytes may come.
struct RTPPacket: Equatable {
    /// What the payload is; numbers from 96 on get their meaning from a description.
    var payloadType: UInt8
    var isMarked: Bool
    var sequence: UInt16
    /// At the clock rate of the payload.
    var timeStamp: UInt32
    /// Who sent it.
    var source: UInt32
    var payload: [UInt8]

    /// `nil` where it is none.
    init?(_ bytes: [UInt8]) {
        guard bytes.count >= 12, bytes[0] >> 6 == 2 else { return nil }
        // 72…76 are packets of RTCP that came to the wrong port.
        payloadType = bytes[1] & 0x7f
        guard !(72...76).contains(payloadType) else { return nil }
        isMarked = bytes[1] & 0x80 != 0
        sequence = UInt16(bytes.bigEndian(2, 2))
        timeStamp = UInt32(bytes.bigEndian(4, 4))
        source = UInt32(bytes.bigEndian(8, 4))
        var start = 12 + 4 * Int(bytes[0] & 0x0f)
        var end = bytes.count
        if bytes[0] & 0x10 != 0 {
            // An extension, which is skipped.
            guard start + 4 <= end else { return nil }
            start += 4 + 4 * bytes.bigEndian(start + 2, 2)
        }
        if bytes[0] & 0x20 != 0 {
            let padding = Int(bytes[end - 1])
            guard padding > 0 else { return nil }
            end -= padding
        }
        guard start <= end else { return nil }
        payload = Array(bytes[start..<end])
    }
}

/// What a sender says beside its packets (RFC 3550, section 6). Any bytes may come.
enum RTPReport: Equatable {
    /// Which time stamp belongs to which time of day: nanoseconds since 1970 in UTC.
    case time(source: UInt32, wallNanoseconds: Int64, timeStamp: UInt32)
    /// It has ended.
    case bye(source: UInt32)

    /// All that is in one datagram, up to where it is damaged. What says nothing to a receiver is left out.
    static func all(in bytes: [UInt8]) -> [RTPReport] {
        var reports: [RTPReport] = []
        var start = 0
        while start + 4 <= bytes.count, bytes[start] >> 6 == 2 {
            let end = start + 4 + 4 * bytes.bigEndian(start + 2, 2)
            guard end <= bytes.count else { break }
            switch bytes[start + 1] {
            case 200 where end - start >= 28:
                // Seconds since 1900. In 2036 the counter overflows: a value without its highest bit is after that (RFC 4330, section 3).
                let ntp = Int64(bytes.bigEndian(start + 8, 4))
                let seconds = (ntp < 1 << 31 ? ntp + 1 << 32 : ntp) - 2_208_988_800
                let part = (Int64(bytes.bigEndian(start + 12, 4)) * 1_000_000_000) >> 32
                reports.append(
                    .time(
                        source: UInt32(bytes.bigEndian(start + 4, 4)),
                        wallNanoseconds: seconds * 1_000_000_000 + part,
                        timeStamp: UInt32(bytes.bigEndian(start + 16, 4))))
            case 203:
                for index in 0..<Int(bytes[start] & 0x1f) where start + 8 + 4 * index <= end {
                    reports.append(.bye(source: UInt32(bytes.bigEndian(start + 4 + 4 * index, 4))))
                }
            default: break
            }
            start = end
        }
        return reports
    }
}

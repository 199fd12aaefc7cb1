import AudioFiles

/// Packets of Opus or FLAC in pages of Ogg (RFC 3533, RFC 7845 and the mapping of FLAC 1.0), each in one of its own, so that
/// none waits for another.
struct OggStream {
    private let serial = UInt32.random(in: .min ... .max)
    /// Of the next page; it follows 2³² − 1 with 0.
    private var pageNumber: UInt32

    init(firstPage: UInt32 = 0) { pageNumber = firstPage }

    /// What a page is, besides that it goes on with a packet.
    enum Place: UInt8 {
        case first = 2
        case middle = 0
        case last = 4
    }

    /// The pages of one packet: one, but for a packet of more than 65 024 bytes.
    ///
    /// - Parameter position: of the last frame that the packet ends with, in the unit of the codec.
    mutating func pages(of packet: [UInt8], position: Int64, _ place: Place = .middle) -> [UInt8] {
        // A packet ends with a piece of less than 255 bytes.
        let pieces = packet.count / 255 + 1
        var bytes: [UInt8] = []
        for first in stride(from: 0, to: pieces, by: 255) {
            let end = min(first + 255, pieces)
            let lengths = (first..<end).map { UInt8(min(255, packet.count - 255 * $0)) }
            let part = packet[(255 * first)..<min(255 * end, packet.count)]
            let kind = place.rawValue | (first > 0 ? 1 : 0)
            bytes += page(kind, position: end == pieces ? position : -1, lengths, part)
        }
        return bytes
    }

    /// The pages before the sound, one for each packet.
    mutating func headers(_ packets: [[UInt8]]) -> [UInt8] {
        var bytes: [UInt8] = []
        for (index, packet) in packets.enumerated() {
            bytes += pages(of: packet, position: 0, index == 0 ? .first : .middle)
        }
        return bytes
    }

    /// An empty page that ends the stream.
    mutating func end(position: Int64) -> [UInt8] { page(Place.last.rawValue, position: position, [], []) }

    private mutating func page(
        _ kind: UInt8, position: Int64, _ lengths: [UInt8], _ part: ArraySlice<UInt8>
    ) -> [UInt8] {
        var page = Array("OggS".utf8) + [0, kind]
        page.append(littleEndian: position)
        page.append(littleEndian: serial)
        page.append(littleEndian: pageNumber)
        page.append(littleEndian: UInt32(0))
        page.append(UInt8(lengths.count))
        page += lengths
        page += part
        pageNumber &+= 1
        let check = OggReader.check(of: page[...])
        for byte in 0..<4 { page[22 + byte] = UInt8(truncatingIfNeeded: check >> (8 * UInt32(byte))) }
        return page
    }
}

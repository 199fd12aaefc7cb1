// Not libogg's: in the 29 984 bytes of HostileBodyTests that look like pages everywhere it checks 2 760 540 bytes, and the test
// `of Ogg are looked at a bounded number of times` permits 502 016.

/// Takes pages of Ogg (RFC 3533) off a stream of bytes. Where bytes are damaged or missing it looks for the next page.
package struct OggReader: Sendable {
    /// A page whose check is right.
    package struct Page: Sendable {
        package var serial: UInt32
        package var number: UInt32
        /// Of the last frame that a packet ends with here, in the unit of the codec; -1 where none ends.
        package var position: Int64
        /// Whether it goes on with a packet of the page before.
        package var isContinued: Bool
        package var isFirst: Bool
        package var isLast: Bool
        /// The packets, or the parts of them.
        package var parts: [ArraySlice<UInt8>]
        /// Whether the last part is all there is of its packet.
        package var isLastWhole: Bool
        /// The whole page, header included.
        package var byteCount: Int
    }

    private var held: ArraySlice<UInt8> = []
    /// The beginning of a page that has not come to its end.
    var heldBytes: Int { held.count }
    /// Bytes in a row that belong to no page.
    package private(set) var strangeBytes = 0

    /// For what looked like a page.
    package private(set) var credit = RescanCredit()

    private static let headerBytes = 27
    private static let sign = Array("OggS".utf8)

    package init() {}

    package mutating func append(_ bytes: ArraySlice<UInt8>) {
        held += bytes
        credit.add(bytes.count)
    }

    /// The next page; `nil` where more must come first.
    package mutating func next() -> Page? {
        while findStart(), held.count >= Self.headerBytes {
            let lengths = held.dropFirst(Self.headerBytes).prefix(Int(held[held.startIndex + 26]))
            let count = Self.headerBytes + lengths.count + lengths.reduce(0) { $0 + Int($1) }
            guard lengths.count == Int(held[held.startIndex + 26]), held.count >= count else { return nil }
            let bytes = held.prefix(count)
            guard held[held.startIndex + 4] == 0, Self.check(of: bytes) == UInt32(bytes.littleEndian(22, 4)) else {
                // The next one may begin behind its first byte.
                skip(credit.spend(count) ? 1 : count)
                continue
            }
            held.removeFirst(count)
            strangeBytes = 0
            return Self.page(bytes, lengths)
        }
        return nil
    }

    /// Goes on to where a page may begin; whether there is such a place.
    private mutating func findStart() -> Bool {
        while let place = held.firstIndex(of: Self.sign[0]) {
            skip(place - held.startIndex)
            if Self.sign.starts(with: held.prefix(4)) { return held.count >= 4 }
            skip(1)
        }
        skip(held.count)
        return false
    }

    private mutating func skip(_ bytes: Int) {
        held.removeFirst(bytes)
        strangeBytes += bytes
    }

    private static func page(_ bytes: ArraySlice<UInt8>, _ lengths: ArraySlice<UInt8>) -> Page {
        var parts: [ArraySlice<UInt8>] = []
        var place = lengths.endIndex
        var partStart = place
        for length in lengths {
            place += Int(length)
            if length < 255 {
                parts.append(bytes[partStart..<place])
                partStart = place
            }
        }
        let isLastWhole = lengths.last.map { $0 < 255 } ?? true
        if !isLastWhole { parts.append(bytes[partStart..<place]) }
        let flags = bytes[bytes.startIndex + 5]
        return Page(
            serial: UInt32(bytes.littleEndian(14, 4)), number: UInt32(bytes.littleEndian(18, 4)),
            position: Int64(truncatingIfNeeded: bytes.littleEndian(6, 8)), isContinued: flags & 1 != 0,
            isFirst: flags & 2 != 0, isLast: flags & 4 != 0, parts: parts, isLastWhole: isLastWhole,
            byteCount: bytes.count)
    }

    /// The CRC of each byte, for the polynomial 0x04c11db7 (RFC 3533, section 6).
    private static let checks: [UInt32] = (0..<256).map { byte in
        (0..<8).reduce(UInt32(byte) << 24) { check, _ in check & 1 << 31 != 0 ? check << 1 ^ 0x04c1_1db7 : check << 1 }
    }

    /// The CRC of a page. The field of the CRC itself counts as 0.
    package static func check(of page: ArraySlice<UInt8>) -> UInt32 {
        func check(_ start: UInt32, _ bytes: ArraySlice<UInt8>) -> UInt32 {
            bytes.reduce(start) { $0 << 8 ^ checks[Int(UInt8($0 >> 24) ^ $1)] }
        }
        return check(check(check(0, page.prefix(22)), [0, 0, 0, 0]), page.dropFirst(26))
    }
}

// Numbers in bytes, as files and networks have them: the one place that reads and writes them.

/// Takes numbers and pieces off the beginning of bytes that came from outside, as far as there are any.
package struct ByteReader {
    private var rest: ArraySlice<UInt8>

    package init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

    package mutating func take(_ count: Int) -> ArraySlice<UInt8>? {
        guard count >= 0, count <= rest.count else { return nil }
        defer { rest = rest.dropFirst(count) }
        return rest.prefix(count)
    }

    package mutating func little32() -> UInt32? { take(4).map { UInt32($0.littleEndian(0, 4)) } }
    package mutating func big16() -> UInt16? { take(2).map { UInt16($0.bigEndian(0, 2)) } }
    package mutating func big32() -> UInt32? { take(4).map { UInt32($0.bigEndian(0, 4)) } }
    package mutating func big64() -> UInt64? { take(8).map { UInt64(bitPattern: Int64($0.bigEndian(0, 8))) } }

    /// A text up to its NUL, or to the end, and of at most so many bytes.
    func terminated(within limit: Int) -> String {
        String(foreign: rest.prefix(limit), isFull: limit < rest.count)
    }

    /// What is left from a number of bytes on.
    package func suffix(from offset: Int) -> ByteReader? {
        offset >= 0 && offset < rest.count ? ByteReader(rest.dropFirst(offset)) : nil
    }
}

extension Collection<UInt8> {
    /// An unsigned number of up to 8 bytes from an offset on, least significant byte first; missing bytes are left out.
    /// One of 8 bytes comes as its bit pattern.
    @inlinable package func littleEndian(_ offset: Int, _ count: Int) -> Int {
        dropFirst(offset).prefix(count).reversed().reduce(0) { $0 << 8 | Int($1) }
    }

    /// The same, most significant byte first.
    @inlinable package func bigEndian(_ offset: Int, _ count: Int) -> Int {
        dropFirst(offset).prefix(count).reduce(0) { $0 << 8 | Int($1) }
    }
}

extension [UInt8] {
    /// Appends a number, least significant byte first.
    @inlinable package mutating func append<Number: FixedWidthInteger>(littleEndian number: Number) {
        for shift in stride(from: 0, to: Number.bitWidth, by: 8) {
            append(UInt8(truncatingIfNeeded: number >> Number(shift)))
        }
    }

    /// Appends a number, most significant byte first.
    @inlinable package mutating func append<Number: FixedWidthInteger>(bigEndian number: Number) {
        append(littleEndian: number.byteSwapped)
    }
}

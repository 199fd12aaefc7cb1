import Testing

@testable import AudioFiles

@Suite("Numbers in bytes") struct ByteReaderTests {
    private let bytes: [UInt8] = [1, 2, 3, 4, 5, 6, 7, 0xff]

    @Test func `are read in both orders, from any place, and what is not there is left out`() {
        #expect(bytes.bigEndian(0, 2) == 0x0102 && bytes.littleEndian(0, 2) == 0x0201)
        #expect(bytes[2...].bigEndian(1, 3) == 0x04_0506 && bytes.littleEndian(3, 3) == 0x06_0504)
        #expect(bytes.bigEndian(7, 4) == 0xff && bytes.littleEndian(9, 4) == 0)
        #expect(UInt64(bitPattern: Int64(bytes.littleEndian(0, 8))) == 0xff07_0605_0403_0201)
    }

    @Test func `are written as they are read`() {
        var written: [UInt8] = []
        written.append(bigEndian: UInt16(0x0102))
        written.append(littleEndian: Int32(-2))
        written.append(bigEndian: UInt64(5))
        #expect(written == [1, 2, 0xfe, 0xff, 0xff, 0xff, 0, 0, 0, 0, 0, 0, 0, 5])
    }

    @Test func `are taken off the beginning as far as there are any`() {
        var reader = ByteReader(bytes[1...])
        #expect(reader.big16() == 0x0203 && reader.little32() == 0x0706_0504)
        #expect(reader.big16() == nil && reader.take(-1) == nil && reader.take(1) == [0xff] && reader.take(1) == nil)
        #expect(ByteReader([65, 66, 0, 67]).suffix(from: 1)?.terminated(within: 9) == "B")
        #expect(ByteReader([65, 66, 67]).terminated(within: 2) == "AB")
        #expect(ByteReader([65]).suffix(from: 1) == nil && ByteReader([65]).suffix(from: -1) == nil)
    }
}

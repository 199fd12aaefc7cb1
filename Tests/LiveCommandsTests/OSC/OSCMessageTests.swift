import TestSupport
import Testing

@testable import LiveRuns

@Suite("Messages of OSC")
struct OSCMessageTests {
    @Test(arguments: [
        OSCMessage("/iounit/gain"), OSCMessage("/iounit/gain", .float(-3.5)),
        OSCMessage("/a", .integer(7), .text("naïve \"words\""), .flag(true), .flag(false), .text(""), .float(0.1)),
    ])
    func `what is written is read again as the same`(_ message: OSCMessage) {
        #expect(OSCPacket(message.bytes).messages == [message])
        #expect(message.bytes.count.isMultiple(of: 4))
    }

    @Test func `the bytes are those of the specification's example`() {
        // OSC 1.0, "Examples": /oscillator/4/frequency with the float 440.
        let bytes =
            Array("/oscillator/4/frequency\0".utf8) + Array(",f\0\0".utf8) + [0x43, 0xdc, 0, 0] as [UInt8]
        #expect(OSCMessage("/oscillator/4/frequency", .float(440)).bytes == bytes)
        #expect(OSCPacket(bytes).messages == [OSCMessage("/oscillator/4/frequency", .float(440))])
    }

    private func bundle(_ parts: [UInt8]...) -> [UInt8] {
        parts.reduce(Array("#bundle\0".utf8) + [0, 0, 0, 0, 0, 0, 0, 1]) { bytes, part in
            bytes + (0..<4).map { UInt8(truncatingIfNeeded: part.count >> (24 - 8 * $0)) } + part
        }
    }

    @Test func `a bundle's messages come in its order, those of inner bundles among them`() {
        let names = ["/a", "/b", "/c"].map { OSCMessage($0, .integer(1)) }
        let packet = OSCPacket(bundle(names[0].bytes, bundle(names[1].bytes), names[2].bytes))
        #expect(packet.messages == names && packet.malformed == 0)
    }

    @Test func `what is broken in a bundle is counted, and what is whole before it is kept`() {
        let message = OSCMessage("/a", .integer(1))
        var broken = bundle(message.bytes, message.bytes)
        broken.removeLast(4)
        #expect(OSCPacket(broken).messages == [message])
        #expect(OSCPacket(broken).malformed == 1)
        let deep = (0..<100).reduce(message.bytes) { bytes, _ in bundle(bytes) }
        #expect(OSCPacket(deep).messages.isEmpty && OSCPacket(deep).malformed == 1)
    }

    @Test(
        arguments: [
            [], Array("hello".utf8), Array("/gain".utf8), Array("/a\0\0\0,f\0".utf8), Array("/a\0\0,s\0\0abcd".utf8),
            Array("/\u{1b}[2J\0\0\0,\0\0\0".utf8), Array("/a\0\0,b\0\0".utf8) + [0x7f, 0xff, 0xff, 0xff],
            Array("#bundle\0".utf8), Array("#bundle\0".utf8) + [UInt8](repeating: 0xff, count: 16),
        ] as [[UInt8]])
    func `garbage is no message`(_ bytes: [UInt8]) {
        let packet = OSCPacket(bytes)
        #expect(packet.messages.isEmpty && packet.malformed == 1)
    }

    @Test func `no bytes do harm`() {
        var generator = SeededGenerator(seed: 7)
        let whole = OSCMessage("/iounit/eq/1/kind", .text("peak"), .float(1), .integer(2), .flag(true)).bytes
        for _ in 0..<20_000 {
            var bytes = whole
            for _ in 0..<Int.random(in: 1...4, using: &generator) {
                bytes[Int.random(in: bytes.indices, using: &generator)] = UInt8.random(in: 0...255, using: &generator)
            }
            bytes.removeLast(Int.random(in: 0...8, using: &generator))
            for message in OSCPacket(bytes).messages { _ = message.bytes }
        }
    }
}

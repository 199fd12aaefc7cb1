import AudioFiles
import CLiblo
import Glibc
import Threads

/// A message of OSC 1.0: an address and its arguments. liblo writes and reads the bytes.
package struct OSCMessage: Equatable {
    package enum Argument: Equatable, Sendable {
        case integer(Int32)
        case float(Float)
        case text(String)
        case flag(Bool)
        /// Of a type that nothing here takes, as a blob.
        case other(Character)

        package var text: String? { if case .text(let text) = self { text } else { nil } }
    }

    /// As in `/iounit/gain`.
    package var address: String
    package var arguments: [Argument]

    /// Beyond it, no datagram is sent or read. Longer ones have no room in one datagram of UDP.
    static let largestBytes = 65507

    package init(_ address: String, _ arguments: [Argument] = []) {
        self.address = address
        self.arguments = arguments
    }

    package init(_ address: String, _ arguments: Argument...) { self.init(address, arguments) }

    /// Where it is not installed no server begins, which says so.
    private static let hasLibrary = (try? OptionalLibrary.liblo.load()) != nil

    /// Reads one, whatever the bytes are.
    ///
    /// - Returns: `nil` for what is no message.
    init?(bytes: ArraySlice<UInt8>) {
        guard Self.hasLibrary, bytes.count <= Self.largestBytes, let address = Self.address(bytes) else { return nil }
        self.address = address
        // liblo takes arguments without a word on their types for one without arguments.
        var bytes = Array(bytes)
        var code: CInt = 0
        let message = unsafe bytes.withUnsafeMutableBytes { buffer in
            // SAFETY: it copies what it keeps, and reads no further than the count.
            unsafe lo_message_deserialise(buffer.baseAddress, buffer.count, &code)
        }
        guard let message = unsafe message else { return nil }
        defer { unsafe lo_message_free(message) }
        guard let types = unsafe lo_message_get_types(message) else { return nil }
        let values = unsafe lo_message_get_argv(message)
        arguments = []
        for index in 0..<Int(unsafe lo_message_get_argc(message)) {
            let type = unsafe Character(Unicode.Scalar(UInt8(bitPattern: types[index])))
            // SAFETY: liblo has checked that each argument lies within the message and is of its type; a text ends with a
            // NUL within it. What has no bytes (T, F, N, I) is not looked at. Each is read at its own width: liblo's union
            // has 8 bytes, of which the last 4 may lie behind the message, and its address is a multiple of 4.
            let value = unsafe (values?[index]).map { UnsafeRawPointer($0) }
            switch (type, unsafe value) {
            case ("T", _): arguments.append(.flag(true))
            case ("F", _): arguments.append(.flag(false))
            case ("i", let value?): unsafe arguments.append(.integer(value.loadUnaligned(as: Int32.self)))
            case ("f", let value?): unsafe arguments.append(.float(value.loadUnaligned(as: Float.self)))
            case ("h", let value?):
                unsafe arguments.append(.integer(Int32(clamping: value.loadUnaligned(as: Int64.self))))
            case ("d", let value?): unsafe arguments.append(.float(Float(value.loadUnaligned(as: Double.self))))
            case ("s", let value?), ("S", let value?):
                let text = unsafe value.assumingMemoryBound(to: CChar.self)
                unsafe arguments.append(.text(String(cString: text)))
            default: arguments.append(.other(type))
            }
        }
    }

    /// What stands before the first NUL: printable ASCII that begins with a slash, as OSC has it.
    private static func address(_ bytes: ArraySlice<UInt8>) -> String? {
        guard bytes.first == UInt8(ascii: "/"), let end = bytes.firstIndex(of: 0) else { return nil }
        let text = bytes[bytes.startIndex..<end]
        return text.allSatisfy { (33...126).contains($0) } ? String(decoding: text, as: UTF8.self) : nil
    }

    /// As they go out; empty where they do not fit into a datagram.
    var bytes: [UInt8] {
        guard Self.hasLibrary, let message = unsafe lo_message_new() else { return [] }
        defer { unsafe lo_message_free(message) }
        for argument in arguments {
            switch argument {
            case .integer(let value): unsafe lo_message_add_int32(message, value)
            case .float(let value): unsafe lo_message_add_float(message, value)
            case .text(let value): unsafe lo_message_add_string(message, value)
            case .flag(true): unsafe lo_message_add_true(message)
            case .flag(false): unsafe lo_message_add_false(message)
            case .other: unsafe lo_message_add_nil(message)
            }
        }
        var size = 0
        guard unsafe lo_message_length(message, address) <= Self.largestBytes,
            let buffer = unsafe lo_message_serialise(message, address, nil, &size)
        else { return [] }
        defer { unsafe free(buffer) }
        return unsafe Array(UnsafeRawBufferPointer(start: buffer, count: size))
    }
}

/// What a datagram of OSC holds: a message, or a bundle of them. The time tags of bundles are not waited for.
package struct OSCPacket {
    /// In the order in which they are to be acted on.
    package private(set) var messages: [OSCMessage] = []
    /// Parts that are neither a message nor a bundle.
    private(set) var malformed = 0

    /// Bundles in bundles, at the most: each costs stack.
    private static let deepest = 8
    private static let head = Array("#bundle\0".utf8)

    /// Reads any bytes.
    package init(_ bytes: [UInt8]) { read(bytes[...], depth: 0) }

    private mutating func read(_ bytes: ArraySlice<UInt8>, depth: Int) {
        guard bytes.starts(with: Self.head) else {
            if let message = OSCMessage(bytes: bytes) { messages.append(message) } else { malformed += 1 }
            return
        }
        // Behind the head stands the time.
        var rest = bytes.dropFirst(Self.head.count)
        guard depth < Self.deepest, rest.count >= 8 else { return malformed += 1 }
        rest = rest.dropFirst(8)
        while !rest.isEmpty {
            let size = rest.bigEndian(0, 4)
            guard rest.count >= 4, size > 0, size.isMultiple(of: 4), size <= rest.count - 4 else {
                return malformed += 1
            }
            read(rest.dropFirst(4).prefix(size), depth: depth + 1)
            rest = rest.dropFirst(4 + size)
        }
    }
}

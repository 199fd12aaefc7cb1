/// A WAV file made chunk by chunk, right or wrong.
struct WaveBytes {
    struct Chunk {
        var name: String
        var content: [UInt8]
        /// What the header says; `nil` for the truth.
        var size: UInt32?
        var isPadded = true

        init(_ name: String, _ content: [UInt8], size: UInt32? = nil, isPadded: Bool = true) {
            self.name = name
            self.content = content
            self.size = size
            self.isPadded = isPadded
        }

        static func format(
            tag: UInt16 = 1, channels: UInt16 = 1, rate: UInt32 = 48000, bytesPerSecond: UInt32? = nil,
            blockAlign: UInt16? = nil, bits: UInt16 = 16
        ) -> Chunk {
            let align = blockAlign ?? channels &* (bits / 8)
            return Chunk(
                "fmt ",
                little(tag) + little(channels) + little(rate) + little(bytesPerSecond ?? rate &* UInt32(align))
                    + little(align) + little(bits))
        }

        /// A text, as that of a title is called INAM.
        static func info(_ name: String, _ text: [UInt8]) -> Chunk {
            let text = text + [UInt8](repeating: 0, count: text.count % 2 == 0 ? 2 : 1)
            return Chunk("LIST", named("INFO" + name, little(UInt32(text.count)), text))
        }

        /// Places of the same number in the sound.
        static func cues(_ count: Int, frame: UInt32) -> Chunk {
            let number = little(UInt32(1))
            let noOffsets = little(UInt64(0))
            let place = named("data", noOffsets, little(frame))
            let places = Array(repeatElement(number + little(frame) + place, count: count).joined())
            return Chunk("cue ", little(UInt32(count)) + places)
        }

        /// The name of these places.
        static func label(_ text: [UInt8]) -> Chunk {
            let label = little(UInt32(1)) + text + [UInt8](repeating: 0, count: text.count % 2 == 0 ? 2 : 1)
            return Chunk("LIST", named("adtllabl", little(UInt32(label.count)), label))
        }

        static func data(_ bytes: Int, size: UInt32? = nil) -> Chunk {
            Chunk("data", (0..<bytes).map { UInt8(truncatingIfNeeded: $0 &* 37) }, size: size)
        }
    }

    var chunks: [Chunk]
    var riff = "RIFF"
    var riffSize: UInt32?
    var form = "WAVE"

    var bytes: [UInt8] {
        var body: [UInt8] = []
        for chunk in chunks {
            body += Array(chunk.name.utf8) + little(chunk.size ?? UInt32(chunk.content.count)) + chunk.content
            if chunk.isPadded && chunk.content.count % 2 != 0 { body.append(0) }
        }
        return Array(riff.utf8) + little(riffSize ?? UInt32(body.count + 4)) + Array(form.utf8) + body
    }
}

/// What begins with a name, as a chunk does.
func named(_ name: String, _ parts: [UInt8]...) -> [UInt8] { Array(name.utf8) + Array(parts.joined()) }

func big(_ value: some UnsignedInteger & FixedWidthInteger) -> [UInt8] { little(value.byteSwapped) }

func little(_ value: some UnsignedInteger & FixedWidthInteger) -> [UInt8] {
    (0..<value.bitWidth / 8).map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) }
}

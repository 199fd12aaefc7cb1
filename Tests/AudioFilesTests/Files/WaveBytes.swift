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

func little(_ value: some UnsignedInteger & FixedWidthInteger) -> [UInt8] {
    (0..<value.bitWidth / 8).map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) }
}

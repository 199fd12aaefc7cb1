import AudioFiles
import Glibc

extension Target {
    /// A sound file of which what can be read is read, with all that it says of itself; and the same bytes through a pipe.
    static let soundPart = Target(name: "soundpart") { bytes in
        do {
            try InputFile.with(bytes) { file in
                let reader = try SoundFileReader(path: file.path, accepting: .readablePart)
                readAll(reader, about: bytes)
                _ = try reader.seek(to: reader.position / 2)
                readAll(reader, about: bytes)
            }
        } catch {
            requireSentence(error, about: bytes)
        }
        do {
            // As much as a pipe holds before anybody reads.
            guard bytes.count < 65536 else { return }
            var ends: [CInt] = [0, 0]
            require(unsafe pipe(&ends) == 0, "no pipe")
            defer { close(ends[0]) }
            // SAFETY: from the beginning of the bytes to their end.
            let count = unsafe bytes.withUnsafeBytes { unsafe write(ends[1], $0.baseAddress, $0.count) }
            close(ends[1])
            require(count == bytes.count, "the pipe is full")
            readAll(
                try SoundFileReader(descriptor: ends[0], name: "a pipe", accepting: .readablePart), about: bytes)
        } catch {
            requireSentence(error, about: bytes)
        }
    }

    private static func readAll(_ reader: SoundFileReader, about bytes: [UInt8]) {
        require(1...1024 ~= reader.channels && reader.sampleRate > 0, "\(reader.channels) channels")
        require(reader.frames ?? 0 >= 0 && reader.position >= 0, "\(reader.frames ?? 0) frames")
        require(reader.markers.count <= bytes.count && reader.loops.count <= 16, "more markers than bytes")
        for text in reader.metadata.texts.values {
            require(text.utf8.count <= 3 * bytes.count + 64, "more text than bytes")
        }
        do {
            for format in [reader.exactFormat, planar(reader.exactFormat)] {
                var buffer = PCMBuffer(format, capacityFrames: 300)
                // A header may promise years.
                for _ in 0..<64 {
                    let count = try reader.read(into: &buffer)
                    require(0...300 ~= count && count == buffer.frames, "\(count) frames of 300")
                    if count == 0 { break }
                    if format.sampleFormat == .float32 {
                        require(buffer.samples(of: Float.self).allSatisfy(\.isFinite), "a sample is not finite")
                    }
                }
                if format.layout == .interleaved, reader.isSeekable { try reader.seek(to: 1) }
            }
        } catch {
            requireSentence(error, about: bytes)
        }
        for flaw in reader.flaws { require(!"\(flaw)".utf8.contains(10), "a flaw has two lines") }
    }

    private static func planar(_ format: StreamFormat) -> StreamFormat {
        var format = format
        format.layout = .planar
        format.sampleFormat = .float32
        return format
    }
}

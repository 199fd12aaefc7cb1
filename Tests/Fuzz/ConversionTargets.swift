import AudioFiles
import Glibc

extension Target {
    /// A sound file that is made into another kind, with all that it says of itself. The last byte chooses the kind.
    static let convert = Target(name: "convert") { bytes in
        let kinds: [SoundFileFormat.Container] = [.wav, .flac, .caf, .aiff, .rf64, .ogg]
        do {
            try InputFile.with(bytes) { file in
                let path = "/dev/shm/iounit-fuzz-\(getpid())"
                defer { unsafe unlink(path) }
                let input = try SoundFileReader(path: file.path, accepting: .readablePart)
                // What is large is no matter of what is in a header.
                guard input.channels <= 8 else { return }
                var conversion = FileConversion()
                conversion.container = kinds[Int(bytes.last ?? 0) % kinds.count]
                conversion.replaces = true
                var blocks = 0
                // A header may promise years.
                let outcome = try conversion.convert(input, to: path) { _ in
                    blocks += 1
                    return blocks < 16
                }
                require(outcome.outputFrames >= 0 && outcome.clippedSamples >= 0, "\(outcome.outputFrames) frames")
                for warning in outcome.warnings { require(!warning.utf8.contains(10), "a warning has two lines") }
                guard outcome.outputFrames > 0 else { return }
                // Whatever came in, what went out is a whole file.
                let output = try? SoundFileReader(path: path)
                require(output != nil, "what was made of it cannot be read")
                require(output?.frames == outcome.outputFrames, "\(output?.frames ?? -1) of \(outcome.outputFrames)")
                let markers = output?.markers ?? []
                require(markers.count <= bytes.count, "more markers than bytes")
                require(markers.allSatisfy { 0...outcome.outputFrames ~= $0.frame }, "a marker lies beyond the end")
            }
        } catch {
            requireSentence(error, about: bytes)
        }
    }
}

import AudioRealtime

@testable import CommandSyntax
@testable import LiveRuns

extension Target {
    /// What comes through a MIDI port, in messages of any length.
    static let midi = Target(name: "midi") { bytes in
        let controlEnd = MIDIControlEnd()
        var rest = bytes[...]
        while let first = rest.popFirst() {
            let message = Array(rest.prefix(Int(first % 6)))
            rest = rest.dropFirst(message.count)
            message.withUnsafeBufferPointer { message in
                // SAFETY: it has so many bytes, and nobody else has the audio thread's end.
                guard let base = message.baseAddress else { return }
                unsafe controlEnd.audioEnd.pointer.pointee.take(base, count: message.count)
            }
        }
        var decoder = MIDIDecoder()
        var learner = MIDILearner()
        while let message = controlEnd.take() {
            require((0x80..<0xf0).contains(message.status) && message.first < 128 && message.second < 128, "a message")
            let readings = decoder.read(message)
            learner.take(readings, atNanoseconds: 0)
            for reading in readings {
                require((0...reading.source.top).contains(reading.value), "\(reading)")
                require(MIDISource("\(reading.source)") == reading.source, "\(reading.source)")
            }
        }
        _ = learner.result(atNanoseconds: .max)
    }

    /// The file of mappings.
    static let mappings = Target(name: "mappings") { bytes in
        let text = text(bytes)
        do throws(Failure) {
            let mappings = try MIDIMapText.parse(text, path: "midi")
            let lines = mappings.map(\.description).joined(separator: "\n")
            require(try MIDIMapText.parse(lines, path: "midi") == mappings, "\(lines)")
            guard let last = mappings.last else { return }
            let changed = try MIDIMapText.parse(MIDIMapText.replacing(text, with: last), path: "midi")
            require(changed.last == last && changed.count <= mappings.count, "\(changed)")
        } catch {
            requireSentence(error, about: bytes)
        }
    }
}

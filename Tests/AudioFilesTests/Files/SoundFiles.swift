import AudioFiles
import Glibc
import TestSupport
import Testing

/// Samples that are whole numbers of `bits` bits, each another, with both ends of the range among them.
func steps(_ count: Int, bits: Int) -> [Int32] {
    let shift = 32 - bits
    return (0..<count).map { index in
        switch index {
        case 0: Int32.min
        case 1: (Int32.max >> shift) << shift
        default: (Int32(truncatingIfNeeded: index &* 0x9e37_79b1) >> shift) << shift
        }
    }
}

/// All of a file, as it comes into buffers of a sample format.
func samples<Sample: BitwiseCopyable>(
    _ reader: SoundFileReader, as format: SampleFormat, of type: Sample.Type, capacity: Int = 997,
    layout: StreamFormat.Layout = .interleaved
) throws -> [Sample] {
    var all: [Sample] = []
    var buffer = PCMBuffer(
        StreamFormat(
            sampleRate: reader.sampleRate, channels: reader.channels, sampleFormat: format, layout: layout),
        capacityFrames: capacity)
    while try reader.read(into: &buffer) > 0 {
        let block = buffer.samples(of: type)
        guard layout == .planar else {
            all += block
            continue
        }
        for frame in 0..<buffer.frames {
            for channel in 0..<reader.channels { all.append(block[channel * buffer.frames + frame]) }
        }
    }
    return all
}

/// All of a file as floats.
func floats(_ reader: SoundFileReader, limit: Int = .max) throws -> [Float] {
    var block = [Float](repeating: .nan, count: 997 * reader.channels)
    var all: [Float] = []
    while all.count < limit {
        let count = try reader.read(997, into: &block)
        if count == 0 { break }
        all += block.prefix(count * reader.channels)
    }
    return all
}

/// Writes a file of floats and closes it.
@discardableResult
func writeFile(
    _ path: String, _ samples: [Float], format: SoundFileFormat? = nil, sampleRate: Int = 48000, channels: Int = 1,
    encoder: EncoderSettings = .init(), metadata: SoundFileMetadata = .init(), markers: [Marker] = []
) throws -> SoundFileWriter {
    let writer = try SoundFileWriter(
        path: path, format: format, sampleRate: sampleRate, channels: channels, encoder: encoder, metadata: metadata,
        replacing: true)
    try writer.write(samples)
    try writer.close(marking: markers)
    return writer
}

/// What an error must be, whatever it says: one line that names the file.
func requireSentence(_ error: SoundFileError, _ path: String) {
    let text = "\(error)"
    #expect(
        text.hasPrefix("cannot ") && text.contains(path) && !text.contains("\n") && text.utf8.count < 600, "\(text)")
    #expect(!text.contains(" .") && !text.hasSuffix(";"), "\(text)")
}

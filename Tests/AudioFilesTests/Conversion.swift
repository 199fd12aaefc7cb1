import AudioFiles
import Glibc
import TestSupport
import Testing

/// A stream converted as a program would, in any cutting.
struct Conversion {
    var input: StreamFormat
    var output: StreamFormat
    var settings = ConverterSettings()
    /// Lengths of the buffers that go in, again and again.
    var pieces = [4096]
    /// Lengths of the buffers that are asked for, again and again.
    var requests = [4096]

    init(
        _ inputRate: Int, _ outputRate: Int, channels: Int = 1, to outputChannels: Int? = nil,
        _ settings: ConverterSettings = .init()
    ) {
        input = StreamFormat(sampleRate: inputRate, channels: channels)
        output = StreamFormat(sampleRate: outputRate, channels: outputChannels ?? channels)
        self.settings = settings
    }

    func converter() throws -> StreamConverter { try StreamConverter(from: input, to: output, settings) }

    func callAsFunction(_ samples: [Float]) throws -> [Float] {
        var converter = try converter()
        return try pull(samples, through: &converter)
    }

    /// Pulls all of it, and checks on the way that the results mean what they say.
    func pull<In: BitwiseCopyable, Out: BitwiseCopyable>(
        _ samples: [In], through converter: inout StreamConverter, of type: Out.Type = Float.self
    ) throws -> [Out] {
        var source = Source(samples: samples, format: input, pieces: pieces)
        var all: [Out] = []
        var request = 0
        while true {
            var buffer = PCMBuffer(output, capacityFrames: requests[request % requests.count])
            request += 1
            let status = converter.convert(into: &buffer) { source.next() }
            all += interleaved(buffer)
            switch status {
            case .haveData: #expect(buffer.frames == buffer.capacityFrames || source.isAtEnd)
            case .inputRanDry: #expect(buffer.frames < buffer.capacityFrames)
            case .endOfStream:
                #expect(buffer.frames == 0)
                return all
            case .error(let error): throw error
            }
        }
    }

    /// The same by `push`.
    func push(_ samples: [Float], through converter: inout StreamConverter) -> [Float] {
        var source = Source(samples: samples, format: input, pieces: pieces)
        var all: [Float] = []
        while !source.isAtEnd {
            guard case .data(let buffer) = source.next() else { continue }
            #expect(converter.push(buffer) { all += $0.samples(of: Float.self) } == .inputRanDry)
        }
        #expect(converter.finish { all += $0.samples(of: Float.self) } == .endOfStream)
        return all
    }

    struct Source<Sample: BitwiseCopyable> {
        let samples: [Sample]
        let format: StreamFormat
        let pieces: [Int]
        private var position = 0
        private var turn = 0
        private(set) var isAtEnd = false

        init(samples: [Sample], format: StreamFormat, pieces: [Int]) {
            (self.samples, self.format, self.pieces) = (samples, format, pieces)
        }

        mutating func next() -> StreamConverter.Input {
            #expect(!isAtEnd, "asked after the end")
            guard position < samples.count else {
                isAtEnd = true
                return .endOfStream
            }
            let perFrame = format.bytesPerFrame / MemoryLayout<Sample>.stride
            let count = min(pieces[turn % pieces.count] * perFrame, samples.count - position)
            turn += 1
            // Empty pieces stand for a source that has nothing for now.
            guard count > 0 else { return .noDataNow }
            defer { position += count }
            return .data(PCMBuffer(format, Array(samples[position..<(position + count)])))
        }
    }
}

/// The samples of a buffer, one frame after the other.
func interleaved<Sample: BitwiseCopyable>(_ buffer: PCMBuffer, of type: Sample.Type = Sample.self) -> [Sample] {
    let samples = buffer.samples(of: type)
    guard buffer.format.layout == .planar else { return samples }
    return (0..<samples.count).map {
        samples[$0 % buffer.format.channels * buffer.frames + $0 / buffer.format.channels]
    }
}

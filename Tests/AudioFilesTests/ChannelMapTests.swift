import AudioFiles
import Testing

@Suite("A map of channels") struct ChannelMapTests {
    @Test(arguments: [
        ("1", [[1.0, 0]]), ("2,1", [[0, 1], [1, 0]]), ("1,1,0", [[1, 0], [1, 0], [0, 0]]), ("1+2", [[1, 1]]),
        ("0.5*1+0.25*2", [[0.5, 0.25]]), ("1-2", [[1, -1]]), ("-1, -0.5*2", [[-1, 0], [0, -0.5]]), ("1+1", [[2, 0]]),
        (".5*2", [[0, 0.5]]),
    ])
    func `becomes a matrix`(text: String, weights: [[Double]]) throws {
        let map = try ChannelMap(text)
        #expect(try map.matrix(inputs: 2).weights == weights)
        #expect(map.outputs == weights.count)
    }

    @Test(arguments: [
        "", ",", "1,", "x", "1+", "+1", "1*", "*1", "1**2", "1025", "1001*1", "nan*1", "0+1", "1--2", "1e2*1", "2*0",
    ])
    func `is refused where it makes no sense`(text: String) {
        #expect(throws: ChannelMap.Malformed.self) { _ = try ChannelMap(text) }
    }

    @Test func `needs the channels that it names`() throws {
        let map = try ChannelMap("3,1")
        #expect(map.highestInput == 3)
        #expect(throws: ConversionError.self) { _ = try map.matrix(inputs: 2) }
        #expect(try map.matrix(inputs: 4).weights == [[0, 0, 1, 0], [1, 0, 0, 0]])
    }

    @Test func `of whole factors keeps integers as they are, with no dither`() throws {
        let input = StreamFormat(sampleRate: 48_000, channels: 2, sampleFormat: .int16)
        let output = StreamFormat(sampleRate: 48_000, channels: 3, sampleFormat: .int16)
        let settings = ConverterSettings(dither: .triangular, matrix: try ChannelMap("2,1-2,0").matrix(inputs: 2))
        var converter = try StreamConverter(from: input, to: output, settings)
        var made: [Int16] = []
        converter.push(PCMBuffer(input, [100, 7, -32768, 5] as [Int16])) { made += $0.samples(of: Int16.self) }
        #expect(made == [7, 93, 0, 5, -32768, 0])
        #expect(converter.clippedSamples == 1)
    }
}

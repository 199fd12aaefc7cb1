import AudioFiles
import Testing

/// Hands over what the test has put there; that nothing is there is not the end.
private final class Faucet {
    var inputs: [StreamConverter.Input] = []
    var asked = 0

    func next() -> StreamConverter.Input {
        asked += 1
        return inputs.isEmpty ? .noDataNow : inputs.removeFirst()
    }
}

@Suite("A stream that is pulled") struct PullTests {
    private let format = StreamFormat(sampleRate: 48_000, channels: 1)
    private let half = StreamFormat(sampleRate: 24_000, channels: 1)

    private func data(_ samples: [Float]) -> StreamConverter.Input { .data(PCMBuffer(format, samples)) }

    @Test func `says have data, ran dry and end of stream, and asks for no more than it needs`() throws {
        var converter = try StreamConverter(from: format, to: format)
        let faucet = Faucet()
        faucet.inputs = [data([1, 2, 3]), data([4, 5])]
        var output = PCMBuffer(format, capacityFrames: 2)
        func pull() -> StreamConverter.Status { converter.convert(into: &output) { faucet.next() } }
        #expect(pull() == .haveData && output.samples(of: Float.self) == [1, 2] && faucet.asked == 1)
        #expect(pull() == .haveData && output.samples(of: Float.self) == [3, 4] && faucet.asked == 2)
        #expect(pull() == .inputRanDry && output.samples(of: Float.self) == [5] && faucet.asked == 3)
        #expect(pull() == .inputRanDry && output.frames == 0)
        faucet.inputs = [data([6]), .endOfStream, data([7])]
        #expect(pull() == .haveData && output.samples(of: Float.self) == [6])
        let asked = faucet.asked
        for _ in 0..<3 { #expect(pull() == .endOfStream && output.frames == 0) }
        #expect(faucet.asked == asked, "a source that has ended is asked again")
        #expect(converter.takenFrames == 6 && converter.madeFrames == 6)
    }

    @Test func `ends with the frame that fills the buffer, and says so with the next call`() throws {
        var converter = try StreamConverter(from: format, to: format)
        let faucet = Faucet()
        faucet.inputs = [data([1, 2]), .endOfStream]
        var output = PCMBuffer(format, capacityFrames: 2)
        #expect(converter.convert(into: &output) { faucet.next() } == .haveData && output.frames == 2)
        #expect(converter.convert(into: &output) { faucet.next() } == .endOfStream && output.frames == 0)
        converter.reset()
        faucet.inputs = [.endOfStream]
        #expect(converter.convert(into: &output) { faucet.next() } == .endOfStream)
    }

    @Test func `holds back at another rate until enough has come, and hands the tail over at the end`() throws {
        // Not the best, which works in large steps.
        var converter = try StreamConverter(from: format, to: half, ConverterSettings(quality: .medium))
        let faucet = Faucet()
        var output = PCMBuffer(half, capacityFrames: 100_000)
        var made = 0
        for count in 1...40 {
            faucet.inputs = [data([Float](repeating: 0.1, count: 100))]
            #expect(converter.convert(into: &output) { faucet.next() } == .inputRanDry)
            made += output.frames
            // Each frame as soon as it can be known: to the frame of the announced latency.
            #expect(made == max(0, (count * 100 - converter.latencyFrames + 1) / 2))
        }
        faucet.inputs = [.endOfStream]
        #expect(converter.convert(into: &output) { faucet.next() } == .haveData)
        #expect(output.frames > 10 && made + output.frames == 2000)
        #expect(converter.convert(into: &output) { faucet.next() } == .endOfStream)
    }

    @Test func `takes an empty buffer for no data now`() throws {
        var converter = try StreamConverter(from: format, to: format)
        var output = PCMBuffer(format, capacityFrames: 2)
        #expect(converter.convert(into: &output) { data([]) } == .inputRanDry)
        let faucet = Faucet()
        faucet.inputs = [data([1]), .endOfStream]
        #expect(converter.convert(into: &output) { faucet.next() } == .haveData && output.frames == 1)
    }

    @Test func `loses nothing where its source throws`() throws {
        struct Broken: Error {}
        var converter = try StreamConverter(from: format, to: format)
        var output = PCMBuffer(format, capacityFrames: 4)
        var turn = 0
        #expect(throws: Broken.self) {
            _ = try converter.convert(into: &output) { () throws(Broken) -> StreamConverter.Input in
                turn += 1
                if turn == 2 { throw Broken() }
                return data([1, 2])
            }
        }
        #expect(output.samples(of: Float.self) == [1, 2])
        #expect(converter.convert(into: &output) { data([3, 4]) } == .haveData)
        #expect(output.samples(of: Float.self) == [3, 4, 3, 4])
    }

    @Test func `refuses a buffer of another format, and goes on`() throws {
        var converter = try StreamConverter(from: format, to: format)
        var output = PCMBuffer(format, capacityFrames: 2)
        var wrong = PCMBuffer(half, capacityFrames: 2)
        guard case .error(let first) = converter.convert(into: &wrong, from: { data([1]) }),
            case .error(let second) = converter.convert(into: &output, from: { .data(PCMBuffer(half, [Float(1)])) })
        else {
            Issue.record("a wrong buffer is taken")
            return
        }
        #expect(first.kind == .wrongBuffer && second.kind == .wrongBuffer)
        #expect(converter.convert(into: &output) { data([1, 2]) } == .haveData)
    }

    @Test func `lets go of a buffer that it has used up, so that its owner can fill it again`() throws {
        var converter = try StreamConverter(from: format, to: format)
        var output = PCMBuffer(format, capacityFrames: 2)
        var own = PCMBuffer(format, [Float(1), 2, 3])
        #expect(converter.convert(into: &output) { .data(own) } == .haveData)
        // One frame waits: what is written now is another value.
        own.withMutableSamples(of: Float.self) { $0[2] = 9 }
        #expect(converter.convert(into: &output) { .noDataNow } == .inputRanDry)
        #expect(output.samples(of: Float.self) == [3])
    }
}

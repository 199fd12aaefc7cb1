import AudioDSP
import Glibc
import TestSupport

/// Runs channels through `process` in blocks of these lengths, over and over, each block of planes as the engine has them.
func processed(
    _ channels: [[Float]], sampleRate: Int = 48_000, blocks: [Int] = [256],
    by process: (borrowing ProcessorBlock) -> Void
) -> [[Float]] {
    let frames = channels[0].count
    let longest = blocks.max() ?? 1
    let stride = longest + 16
    var output = channels
    let memory = UnsafeMutablePointer<Float>.allocate(capacity: channels.count * stride)
    memory.initialize(repeating: 12_345.5, count: channels.count * stride)
    defer { memory.deallocate() }
    var (start, turn) = (0, 0)
    while start < frames {
        let count = min(blocks[turn % blocks.count], frames - start)
        for channel in channels.indices {
            for frame in 0..<count { memory[channel * stride + frame] = channels[channel][start + frame] }
        }
        process(
            ProcessorBlock(
                Samples(memory, count: count), stride: stride, channels: channels.count, sampleRate: sampleRate,
                position: start))
        for channel in channels.indices {
            for frame in 0..<count { output[channel][start + frame] = memory[channel * stride + frame] }
            let behind = channel * stride + longest..<(channel + 1) * stride
            precondition(behind.allSatisfy { memory[$0] == 12_345.5 }, "the processor wrote behind its block")
        }
        (start, turn) = (start + count, turn + 1)
    }
    return output
}

/// A sine of that amplitude in decibels.
func sine(_ hertz: Double, decibels: Double, frames: Int, phase: Double = 0) -> [Float] {
    TestSupport.sine(hertz, amplitude: Decibels.linear(decibels), frames: frames, phase: phase)
}

/// The greatest magnitude in decibels.
func peakDecibels(_ samples: some Sequence<Float>) -> Double {
    20 * log10(samples.reduce(0.0) { max($0, Double(abs($1))) })
}

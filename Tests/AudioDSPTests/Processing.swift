import AudioDSP

/// Runs a kernel over a copy of `input` and returns what became of it.
///
/// The copy stands between two guards, so that a kernel that writes beyond its run is caught.
func processed(_ input: [Float], by kernel: (Samples) -> Void) -> [Float] {
    let guardLength = 16
    let guardValue: Float = 12_345.5
    var memory = [Float](repeating: guardValue, count: input.count + 2 * guardLength)
    memory.replaceSubrange(guardLength..<(guardLength + input.count), with: input)
    memory.withUnsafeMutableBufferPointer { buffer in
        guard let base = buffer.baseAddress else { return }
        kernel(Samples(base + guardLength, count: input.count))
    }
    precondition(memory.prefix(guardLength).allSatisfy { $0 == guardValue }, "the kernel wrote before its run")
    precondition(memory.suffix(guardLength).allSatisfy { $0 == guardValue }, "the kernel wrote behind its run")
    return Array(memory[guardLength..<(guardLength + input.count)])
}

/// Runs a kernel over `input` in blocks of these lengths. The kernel sees each block and its first frame's number.
func processed(_ input: [Float], inBlocks lengths: [Int], by kernel: (Samples, Int) -> Void) -> [Float] {
    processed(input) { whole in
        var start = 0
        for length in lengths {
            kernel(whole.slice(from: start, count: length), start)
            start += length
        }
    }
}

/// Lengths around the edges of vectors, and long ones.
let edgeLengths = [0, 1, 2, 7, 8, 9, 15, 16, 17, 63, 64, 65, 255, 8191, 8192]

/// `input` through an antialiased shaper that has heard nothing yet, in blocks of these lengths.
func shaped(
    _ input: [Float], _ shaping: Shaping, gain: Float = 1, table: ShapeTable? = nil, blocks: [Int]? = nil,
    instructions: InstructionSet = .best
) -> [Float] {
    var shaper = AntialiasedShaper(channels: 1, table: table, instructions: instructions)
    return processed(input, inBlocks: blocks ?? [input.count]) { block, _ in
        shaper.process(block, channel: 0, setting: 0, shaping, gain: Ramp(gain))
    }
}

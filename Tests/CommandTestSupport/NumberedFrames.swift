/// What became of frames that say where they stand: 2⁻²⁰, 2 · 2⁻²⁰, 3 · 2⁻²⁰ …, and the same negated on the second channel.
package struct NumberedFrames {
    /// Of the frames that are not silent, in their order.
    package private(set) var numbers: [Int] = []
    /// Frames with one channel alone.
    package private(set) var halves = 0
    /// Frames that are none of those.
    package private(set) var strays = 0

    /// A file of them.
    package static func file(frames: Int) -> SoundFile {
        let ramp = (1...frames).map { Float($0) / 1_048_576 }
        return SoundFile(sampleRate: 48000, channels: [ramp, ramp.map { -$0 }])
    }

    package init(in file: SoundFile) {
        for (left, right) in zip(file.channels[0], file.channels[1]) where left != 0 || right != 0 {
            if left == 0 || right == 0 {
                halves += 1
            } else if left == -right, let number = Int(exactly: left * 1_048_576), number > 0 {
                numbers.append(number)
            } else {
                strays += 1
            }
        }
    }

    /// Whether none is there twice, or before an earlier one.
    package var isInOrder: Bool { zip(numbers, numbers.dropFirst()).allSatisfy { $0 < $1 } }
    /// How often the next one is missing.
    package var skips: Int { zip(numbers, numbers.dropFirst()).count { $1 - $0 != 1 } }
}

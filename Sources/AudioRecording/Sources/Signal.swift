import AudioFiles

/// Something that yields frames, one run after the other, on a thread that may block.
package protocol Signal {
    var channels: Int { get }

    /// Puts up to `frames` frames into `target`, interleaved, and returns how many; 0 only at the end.
    /// `target` has room for them.
    mutating func read(_ frames: Int, into target: inout [Float]) throws(SoundFileError) -> Int
}

/// Zeros without end.
package struct Silence: Signal {
    package let channels = 1

    package mutating func read(_ frames: Int, into target: inout [Float]) -> Int {
        for frame in 0..<frames { target[frame] = 0 }
        return frames
    }
}

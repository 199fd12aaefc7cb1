// expect: success
//
// The control: what the audio thread may do compiles. Without it, a broken import would look like ten refusals.
import CThreads
import Synchronization

struct Unit: ~Copyable {
    private let count = Atomic<Int>(0)
    private let memory: UnsafeMutablePointer<Float>

    init(_ memory: UnsafeMutablePointer<Float>) { self.memory = memory }

    @_noLocks @_noAllocation
    mutating func render(frames: Int) -> UInt64 {
        for index in 0..<frames { memory[index] = min(1, memory[index] * 2) }
        count.add(frames, ordering: .relaxed)
        return cthreads_monotonic_nanoseconds()
    }
}

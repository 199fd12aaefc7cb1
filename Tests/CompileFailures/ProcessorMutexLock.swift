// expect: called function is not available in this module and can have unpredictable performance
import AudioDSP
import Synchronization

struct Locking: AudioProcessor, ~Copyable {
    private let gain = Mutex<Float>(1)

    mutating func process(_ block: borrowing ProcessorBlock) {
        for frame in 0..<block.frames { block[0, frame] *= gain.withLock { $0 } }
    }
}

@_noLocks @_noAllocation
func lock(_ call: ProcessorCall) { call.process(Locking.self) }

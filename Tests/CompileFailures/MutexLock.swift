// expect: called function is not available in this module and can have unpredictable performance
import Synchronization

struct Unit: ~Copyable {
    let frames = Mutex<Int>(0)

    @_noLocks @_noAllocation
    func process(_ count: Int) {
        frames.withLock { $0 += count }
    }
}

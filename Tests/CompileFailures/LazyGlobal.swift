// expect: global/static variable initialization can cause locking
import CJack

private let start = cjack_monotonic_nanoseconds()

@_noLocks @_noAllocation
func process() -> UInt64 {
    cjack_monotonic_nanoseconds() - start
}

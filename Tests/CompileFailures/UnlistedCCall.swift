// expect: called function is not available in this module and can have unpredictable performance
import CJack

@_noLocks @_noAllocation
func process() {
    _ = usleep(1)
}

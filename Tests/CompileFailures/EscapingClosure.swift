// expect: generic closures or local functions can cause metadata allocation or locks
@_noLocks @_noAllocation
func process(frames: Int) -> @Sendable () -> Int {
    { frames * 2 }
}

// expect: can cause metadata allocation or locks
@_noLocks @_noAllocation
func process(frames: Int) {
    Task { print(frames) }
}

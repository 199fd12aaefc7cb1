// expect: this code performs reference counting operations which can cause locking
@_noLocks @_noAllocation
func process(lengths: inout [Int], frames: Int) {
    lengths.append(frames)
}

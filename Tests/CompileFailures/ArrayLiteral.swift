// expect: Using type 'Int' can cause metadata allocation or locks
@_noLocks @_noAllocation
func process(frames: Int) -> Int {
    let lengths = [frames, frames + 1]
    return lengths[frames & 1]
}

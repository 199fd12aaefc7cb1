// expect: Using type 'Block' can cause metadata allocation or locks
final class Block {
    let frames: Int
    init(frames: Int) { self.frames = frames }
}

@_noLocks @_noAllocation
func process(frames: Int) -> Block {
    Block(frames: frames)
}

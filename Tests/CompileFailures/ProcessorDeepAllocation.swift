// expect: Using type 'Note' can cause metadata allocation or locks
//
// What is wrong lies two calls behind `process`, where nothing is annotated.
import AudioDSP

final class Note {
    let frames: Int
    init(_ frames: Int) { self.frames = frames }
}

struct Writer: AudioProcessor, ~Copyable {
    private var frames = 0

    mutating func process(_ block: borrowing ProcessorBlock) { note(block.frames) }

    private mutating func note(_ count: Int) { frames += made(count).frames }

    private func made(_ count: Int) -> Note { Note(count) }
}

@_noLocks @_noAllocation
func write(_ call: ProcessorCall) { call.process(Writer.self) }

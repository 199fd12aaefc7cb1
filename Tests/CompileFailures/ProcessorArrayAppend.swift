// expect: this code performs reference counting operations which can cause locking
//
// A processor of the user's own, as another module sees it: the annotated function is all that leads the check to `process`.
import AudioDSP

struct Collector: AudioProcessor, ~Copyable {
    private var lengths: [Int] = []

    mutating func process(_ block: borrowing ProcessorBlock) { lengths.append(block.frames) }
}

@_noLocks @_noAllocation
func collect(_ call: ProcessorCall) { call.process(Collector.self) }

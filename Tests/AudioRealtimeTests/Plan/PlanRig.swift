import AudioDSP
import AudioRealtime
import TestSupport

/// A plan on port buffers of its own, run inside the real-time sanitizer's region.
final class PlanRig {
    private let first: Cell<Plan>
    private var plan: UnsafeMutablePointer<Plan>
    private let inputs: PortBuffers
    private let outputs: Int

    /// - Parameters:
    ///   - outputs: how many there are; as many as inputs without it.
    init(_ plan: Cell<Plan>, inputs channels: Int, outputs: Int? = nil) {
        first = plan
        self.plan = plan.pointer
        inputs = PortBuffers(channels: max(1, channels))
        self.outputs = outputs ?? channels
    }

    convenience init(_ plan: consuming Plan, inputs channels: Int, outputs: Int? = nil) {
        self.init(Cell(plan), inputs: channels, outputs: outputs)
    }

    var stepCount: Int { plan.pointee.stepCount }
    var planeCount: Int { plan.pointee.planeCount }

    /// Runs signals through, one for each input, cut into cycles of these lengths; returns the outputs.
    ///
    /// - Parameter before: called before each cycle with the number of its first frame.
    func run(_ signals: [[Float]], cut lengths: [Int]? = nil, before: (Int) -> Void = { _ in }) -> [[Float]] {
        let total = signals.first?.count ?? 0
        var memory = signals
        for channel in memory.indices {
            memory[channel].withUnsafeMutableBufferPointer { inputs.set(channel, to: $0.baseAddress) }
        }
        let made = PortMemory(channels: outputs, frames: total)
        var start = 0
        for length in lengths ?? [total] {
            before(start)
            let current = plan
            plan = realtime { current.pointee.goOn() ?? current }
            let plan = plan
            var done = 0
            while done < length {
                let first = start + done
                var block = TapBlock(frames: length - done)
                realtime { _ = plan.pointee.render(inputs, made.buffers, from: first, &block) }
                done += Int(block.frames)
            }
            start += length
        }
        return withExtendedLifetime(memory) { made.signals }
    }
}

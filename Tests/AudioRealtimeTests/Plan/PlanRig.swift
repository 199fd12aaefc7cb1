import AudioDSP
import AudioRealtime
import TestSupport

/// A plan on port buffers of its own, run inside the real-time sanitizer's region.
final class PlanRig {
    private let first: Cell<Plan>
    private var plan: UnsafeMutablePointer<Plan>
    private let exchange: Cell<PlanExchange>
    private let inputs: PortBuffers

    /// - Parameter exchange: brings other plans between cycles.
    init(_ plan: Cell<Plan>, inputs channels: Int, exchange: Cell<PlanExchange> = Cell(PlanExchange())) {
        first = plan
        self.plan = plan.pointer
        self.exchange = exchange
        inputs = PortBuffers(channels: max(1, channels))
    }

    convenience init(_ plan: consuming Plan, inputs channels: Int) { self.init(Cell(plan), inputs: channels) }

    var stepCount: Int { plan.pointee.stepCount }
    var planeCount: Int { plan.pointee.planeCount }

    /// Runs signals through, one for each input, cut into cycles of these lengths; returns what is left for the outputs.
    ///
    /// - Parameter before: called before each cycle with the number of its first frame.
    func run(_ signals: [[Float]], cut lengths: [Int]? = nil, before: (Int) -> Void = { _ in }) -> [[Float]] {
        let total = signals.first?.count ?? 0
        let channels = plan.pointee.output.channels
        var outputs = [[Float]](repeating: [], count: channels)
        var memory = signals
        for channel in memory.indices {
            memory[channel].withUnsafeMutableBufferPointer { inputs.set(channel, to: $0.baseAddress) }
        }
        var start = 0
        for length in lengths ?? [total] {
            before(start)
            let current = plan
            plan = realtime { exchange.pointer.pointee.take(current) }
            let plan = plan
            var done = 0
            while done < length {
                let first = start + done
                let left = length - done
                let count = realtime {
                    let count = plan.pointee.begin(frames: left)
                    _ = plan.pointee.render(inputs, from: first, TapBlock(frames: count), isKept: true)
                    return count
                }
                for channel in 0..<channels {
                    let samples = plan.pointee.output(channel, frames: count)
                    outputs[channel] += (0..<count).map { samples[$0] }
                }
                done += count
            }
            start += length
        }
        return withExtendedLifetime(memory) { outputs }
    }
}

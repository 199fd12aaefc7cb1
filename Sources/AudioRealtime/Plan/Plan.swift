import AudioDSP

/// What the audio thread runs in a cycle: a row of steps on planes that were assigned to them beforehand.
///
/// Made by a `PlanBuilder` and never changed. It keeps all that its steps name, so that who frees the plan frees that too,
/// where no other plan has it: the control thread or a worker, never the audio thread.
@safe package struct Plan: ~Copyable {
    private let steps: UnsafeMutableBufferPointer<Step>
    private let loops: UnsafeMutableBufferPointer<UnsafeMutablePointer<DelayState>>
    private var planes: Planes
    /// What is left for the outputs.
    package let output: Bundle
    /// For what is needed for the length of one step.
    private let scratch: Int
    /// How long a change of a gain or a delay lasts.
    package var rampFrames: Int
    private let keeps: [AnyObject]

    package var stepCount: Int { unsafe steps.count }
    package var planeCount: Int { planes.channels }

    /// - Parameters:
    ///   - loops: the delays that close loops.
    ///   - planes: how many the steps name. One more is made.
    ///   - keeps: what the steps point at.
    @unsafe init(
        _ steps: [Step], loops: [UnsafeMutablePointer<DelayState>], planes: Int, output: Bundle, rampFrames: Int,
        keeps: [AnyObject]
    ) {
        unsafe self.steps = .allocate(capacity: steps.count)
        _ = unsafe self.steps.initialize(from: steps)
        unsafe self.loops = .allocate(capacity: loops.count)
        _ = unsafe self.loops.initialize(from: loops)
        self.planes = Planes(channels: planes + 1, capacity: RenderUnit.maximumFrames)
        scratch = planes
        self.output = output
        self.rampFrames = rampFrames
        self.keeps = keeps
    }

    deinit {
        // SAFETY: allocated above, and nobody else frees them.
        unsafe steps.deallocate()
        unsafe loops.deallocate()
    }

    /// How many frames can be rendered at once: as many as are asked for, or as the shortest delay of a loop has.
    /// Thread: audio. Wait-free.
    @_noLocks @_noAllocation
    package mutating func begin(frames: Int) -> Int {
        var count = min(frames, RenderUnit.maximumFrames)
        // SAFETY: here and below, `keeps` keeps what is pointed at.
        for loop in unsafe 0..<loops.count { count = unsafe min(count, loops[loop].pointee.begin()) }
        return count
    }

    /// Renders a block of the length that `begin` gave, up to the bundle `output`. Thread: audio. Wait-free.
    ///
    /// - Parameters:
    ///   - inputs: the port buffers.
    ///   - start: the block's first frame in them.
    /// - Returns: how many samples of the inputs were not finite; they are silence.
    @_noLocks @_noAllocation
    package mutating func render(_ inputs: borrowing PortBuffers, from start: Int, frames: Int) -> Int {
        planes.arrange(frames: frames)
        var broken = 0
        for index in unsafe 0..<steps.count {
            switch unsafe steps[index] {
            case .input(let bundle):
                broken += inputs.copyFinite(to: planes, bundle, from: start, count: frames)
            case .clear(let bundle):
                for channel in 0..<bundle.channels { planes.run(bundle, channel, count: frames).clear() }
            case .copy(let source, let target):
                for channel in 0..<source.channels {
                    planes.run(target, channel, count: frames).copy(from: planes.run(source, channel, count: frames))
                }
            case .add(let source, let target):
                for channel in 0..<source.channels {
                    planes.run(target, channel, count: frames)
                        .add(planes.run(source, channel, count: frames), gain: Ramp(1))
                }
            case .carry(let line, let source, let target, let stores):
                unsafe line.pointee.carry(
                    from: source, to: target, in: planes, frames: frames, scratch: scratch, stores: stores,
                    rampFrames: rampFrames)
            case .shape(let chain, let bundle):
                unsafe chain.pointee.process(planes, bundle, frames: frames)
            case .gain(let gain, let bundle):
                unsafe gain.pointee.process(planes, bundle, frames: frames, rampFrames: rampFrames)
            case .delay(let delay, let bundle):
                unsafe delay.pointee.process(planes, bundle, frames: frames, scratch: scratch, rampFrames: rampFrames)
            case .recall(let delay, let bundle):
                unsafe delay.pointee.recall(planes, bundle, frames: frames, scratch: scratch, rampFrames: rampFrames)
            case .store(let delay, let bundle):
                unsafe delay.pointee.store(planes, bundle, frames: frames)
            }
        }
        return broken
    }

    /// A channel of what is left for the outputs, after `render`. Thread: audio. Wait-free.
    @_noLocks @_noAllocation
    package func output(_ channel: Int, frames: Int) -> Samples { planes.run(output, channel, count: frames) }
}

import AudioDSP
import Synchronization

/// What is known of a processor.
package enum ProcessorNature {
    /// Anything may come out: it is checked there.
    case foreign
    /// Ours: finite input gives finite output, but for an overflow.
    case ours
    /// The same, and it remembers nothing, so that it may hear what is not finite.
    case oursWithoutMemory
}

/// A node on the audio thread that changes what it hears: one that a user of this package wrote, or one of ours.
@safe package struct ProcessorState: ~Copyable {
    private let function: ProcessorFunction
    private let state: UnsafeMutableRawPointer
    /// Has the state, and ends it: the control thread or a worker frees it, never the audio thread.
    private let memory: any ProcessorMemory
    /// What the function is called with.
    private let block: UnsafeMutablePointer<ProcessorBlock>
    private var sampleRate: Int
    private var position = 0
    let nature: ProcessorNature
    /// Samples of its output that were NaN, infinite or absurd, and were replaced by silence.
    package let nonFinite = Atomic<UInt64>(0)

    /// With a stream that begins.
    ///
    /// - Parameters:
    ///   - function: see `check`.
    ///   - sampleRate: in hertz.
    package init<State: AudioProcessor & ~Copyable>(
        _ state: consuming State, _ function: ProcessorFunction, sampleRate: Int, nature: ProcessorNature = .foreign
    ) {
        Self.check(function, State.self)
        let memory = Cell(state)
        memory.reset(sampleRate: sampleRate)
        self.function = function
        unsafe self.state = UnsafeMutableRawPointer(memory.pointer)
        self.memory = memory
        unsafe block = .allocate(capacity: 1)
        // Of no samples, wherever they are.
        let nowhere = unsafe UnsafeMutableRawPointer(block).assumingMemoryBound(to: Float.self)
        unsafe block.initialize(
            to: ProcessorBlock(
                Samples(nowhere, count: 0), stride: 0, channels: 1, sampleRate: sampleRate, position: 0))
        self.sampleRate = sampleRate
        self.nature = nature
    }

    /// Ends the program if the function asks for another type of state, for none, or is not annotated. In an optimised
    /// build a missing annotation is not noticed.
    package static func check<State: ~Copyable>(_ function: ProcessorFunction, _ type: State.Type) {
        let contract = ProcessorContract(of: function)
        precondition(
            contract.state == ObjectIdentifier(type),
            "the function of a processor does nothing but `call.process(State.self)`, of the type that its state has")
        precondition(
            contract.isChecked,
            "the function of a processor is annotated: @_noLocks @_noAllocation func name(_ call: ProcessorCall) { … }")
    }

    deinit {
        // SAFETY: allocated above, and nobody else frees it. A block needs no destruction.
        unsafe block.deallocate()
    }

    /// Begins a stream of a sample rate in hertz. Thread: control, while nothing is processed.
    package mutating func reset(sampleRate: Int) {
        self.sampleRate = sampleRate
        position = 0
        memory.reset(sampleRate: sampleRate)
    }

    /// The rate of what is processed from now on, in hertz. Between two blocks. Thread: audio. Wait-free.
    @_noLocks @_noAllocation
    package mutating func changeRate(to sampleRate: Int) { self.sampleRate = sampleRate }

    /// Processes a block in place. What comes out is finite: the nodes behind it may have a memory, which a single NaN would
    /// spoil for good. Thread: audio.
    @_noLocks @_noAllocation
    mutating func process(_ planes: borrowing Planes, _ bundle: Bundle, frames: Int) {
        guard frames > 0 else { return }
        // SAFETY: the planes of a bundle lie side by side, and `memory` has a state of the type that the function asks for.
        unsafe block.pointee.describe(
            planes.run(bundle, 0, count: frames), stride: planes.stride, channels: bundle.channels,
            sampleRate: sampleRate, position: position)
        unsafe run(function, state, block)
        position += frames
        // What others make is checked by the plan, where that matters.
        guard nature == .foreign else { return }
        let broken = planes.silenceNotFinite(bundle, frames: frames)
        if broken > 0 { nonFinite.add(UInt64(broken), ordering: .relaxed) }
    }
}

private protocol ProcessorMemory: AnyObject {
    func reset(sampleRate: Int)
}

extension Cell: ProcessorMemory where Value: AudioProcessor & ~Copyable {
    func reset(sampleRate: Int) {
        // SAFETY: nothing is processed meanwhile.
        unsafe pointer.pointee.reset(sampleRate: sampleRate)
    }
}

import CProcessor

/// One call of a processor's function. Not to be kept beyond the call.
public typealias ProcessorCall = cprocessor_call

/// What leads from the audio thread to a processor: a global function, annotated `@_noLocks @_noAllocation`, that does
/// nothing but `call.process(Tremolo.self)`.
public typealias ProcessorFunction = cprocessor_function

extension ProcessorCall {
    /// Has the state process the block. The compiler checks a copy of this function in each annotated caller, and the
    /// state's `process` with it.
    ///
    /// - Parameter type: that of the state which the processor was made with.
    @inlinable @inline(__always)
    public func process<State: AudioProcessor & ~Copyable>(_ type: State.Type) {
        // SAFETY: a call has a block and the state, of the type that `ProcessorContract` was told, or else a contract.
        if let block = unsafe _block?.assumingMemoryBound(to: ProcessorBlock.self) {
            guard let state = unsafe _state?.assumingMemoryBound(to: State.self) else { return }
            unsafe state.pointee.process(block.pointee)
        } else if let contract = unsafe _state?.assumingMemoryBound(to: ProcessorContract.self) {
            unsafe contract.pointee.note(State.self)
        }
    }
}

/// Calls a processor's function. Thread: audio.
///
/// - Parameters:
///   - state: of the type that the function's contract says.
///   - block: not on the stack, where the compiler would guard it with a call that ends the program.
@unsafe @_noLocks @_noAllocation
package func run(
    _ function: ProcessorFunction, _ state: UnsafeMutableRawPointer, _ block: UnsafePointer<ProcessorBlock>
) {
    unsafe cprocessor_run(function, ProcessorCall(_state: state, _block: block))
}

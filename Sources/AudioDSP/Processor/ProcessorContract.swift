import CProcessor

/// What a processor's function says of itself when it is called without a block. Thread: control.
@frozen @usableFromInline package struct ProcessorContract {
    /// The state that it processes, or `nil` if it processes none.
    package private(set) var state: ObjectIdentifier?
    /// Whether the compiler has checked the function, as far as that can be seen: in a build without optimisation generic
    /// code is made concrete only where a performance annotation asks for it. An optimised build says always yes.
    package private(set) var isChecked = false

    package init(of function: ProcessorFunction) {
        // SAFETY: without a block the function takes the state for a contract.
        unsafe withUnsafeMutablePointer(to: &self) { contract in
            function(unsafe ProcessorCall(_state: contract, _block: nil))
        }
    }

    // The audio thread never comes here, for its calls have a block.
    @inlinable @_semantics("no_performance_analysis")
    mutating func note<State: ~Copyable>(_ type: State.Type) {
        // The pointer's type, because the state's own may not be copyable.
        note(ObjectIdentifier(type), isChecked: unsafe _isConcrete(UnsafePointer<State>.self))
    }

    @usableFromInline
    mutating func note(_ state: ObjectIdentifier, isChecked: Bool) {
        self.state = state
        self.isChecked = isChecked
    }
}

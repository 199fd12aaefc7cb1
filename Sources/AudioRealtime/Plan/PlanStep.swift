/// One of the things that a plan does to its planes. All that it names is kept by the plan.
@unsafe package enum PlanStep: BitwiseCopyable {
    /// Takes the port buffers over.
    case input(Bundle)
    case clear(Bundle)
    case copy(from: Bundle, to: Bundle)
    case add(Bundle, to: Bundle)
    case carry(UnsafeMutablePointer<Line>, from: Bundle, to: Bundle, stores: Bool)
    /// Stands before four of those that add to the same bundle: one pass over memory where none of them changes.
    case carryFour
    /// Puts silence in place of what is not finite, before what remembers it.
    case check(Bundle)
    case shape(UnsafeMutablePointer<ShaperState>, Bundle)
    case gain(UnsafeMutablePointer<GainState>, Bundle)
    case equalise(UnsafeMutablePointer<EqualiserState>, Bundle)
    case process(UnsafeMutablePointer<ProcessorState>, Bundle)
    case play(UnsafeMutablePointer<PlayerState>, Bundle)
    case delay(UnsafeMutablePointer<DelayState>, Bundle)
    case receive(UnsafeMutablePointer<ReceiverState>, Bundle)
    case detour(UnsafeMutablePointer<DetourState>, Bundle)
    /// The two halves of a delay that closes a loop. The second checks what it stores.
    case recall(UnsafeMutablePointer<DelayState>, Bundle)
    case store(UnsafeMutablePointer<DelayState>, Bundle)
    case tap(UnsafeMutablePointer<TapWriter>, Bundle)
}

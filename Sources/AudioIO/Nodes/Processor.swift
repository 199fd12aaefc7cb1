import AudioDSP
import AudioRealtime
import Synchronization

/// A node of the user's own: what it does to the sound is a struct that conforms to `AudioProcessor`, and one annotated
/// function by which the compiler checks it.
///
/// ```swift
/// @_noLocks @_noAllocation
/// func tremolo(_ call: ProcessorCall) { call.process(Tremolo.self) }
///
/// let node = engine.attach(Processor(Tremolo(), process: tremolo))
/// ```
/// What it writes that is NaN, infinite or beyond 10¹³ becomes silence, so that it cannot spoil the nodes behind it.
public final class Processor: Node {
    public let core: NodeCore
    public let parameters: [Parameter]
    private let driver: any ProcessorDriver

    /// - Parameters:
    ///   - state: made each time the node is attached, so that none is rendered twice. It ends on a control thread, once
    ///     nothing renders it any more. Its `init`, `reset` and `deinit` must not call the engine.
    ///   - parameters: what can be set of it; those of a `ParameterGroup` whose reader the state has.
    ///   - channels: 1…256; `nil` for as many as the engine has outputs.
    ///   - latencyFrames: how much later the sound leaves than it came, 0…2²⁴; the engine makes up for it in parallel paths.
    ///     What lies outside is moved to the nearest end. It may follow from a parameter. It is asked for a hundred times a
    ///     second, and must not call the engine.
    ///   - settlingFrames: how many frames must pass before what comes out owes nothing to the silence before them; a
    ///     processor that is attached while sound runs fades in behind them. Limited likewise. `nil` for as many as the latency.
    ///   - function: does nothing but `call.process(State.self)`, and is annotated `@_noLocks @_noAllocation`; otherwise the
    ///     program ends here. In an optimised build a missing annotation is not noticed.
    public init<State: AudioProcessor & ~Copyable>(
        _ state: @autoclosure @escaping @Sendable () -> State, parameters: [Parameter] = [], channels: Int? = nil,
        latencyFrames: @autoclosure @escaping @Sendable () -> Int = 0, settlingFrames: Int? = nil,
        process function: ProcessorFunction
    ) {
        let driver = Driver({ _ in state() }, function, latencyFrames, settlingFrames)
        self.driver = driver
        self.parameters = parameters
        core = NodeCore("processor", channels: channels, driver: driver)
    }

    /// For nodes that are made of one: with another kind, and a state that asks for what it is made for.
    package init<State: AudioProcessor & ~Copyable>(
        _ kind: String, parameters: [Parameter], channels: Int?, latencyFrames: @escaping @Sendable () -> Int = { 0 },
        nature: ProcessorNature = .foreign, process function: ProcessorFunction,
        state: @escaping @Sendable (NodeFormat) -> State
    ) {
        let driver = Driver(state, function, latencyFrames, nil, nature)
        self.driver = driver
        self.parameters = parameters
        core = NodeCore(kind, channels: channels, driver: driver)
    }

    /// Samples that were NaN, infinite or beyond 10¹³, and became silence; since it was attached.
    public var nonFiniteSamples: UInt64 { driver.nonFiniteSamples }

    private final class Driver<State: AudioProcessor & ~Copyable>: ProcessorDriver {
        var latencyFrames: Int { Self.possible(latency()) }
        var settlingFrames: Int { Self.possible(settling ?? latency()) }
        private let latency: @Sendable () -> Int
        private let settling: Int?
        private let makeState: @Sendable (NodeFormat) -> State
        private let function: ProcessorFunction
        private let nature: ProcessorNature
        private let body = Mutex<Cell<ProcessorState>?>(nil)

        init(
            _ makeState: @escaping @Sendable (NodeFormat) -> State, _ function: ProcessorFunction,
            _ latency: @escaping @Sendable () -> Int, _ settling: Int?,
            _ nature: ProcessorNature = .foreign
        ) {
            self.nature = nature
            ProcessorState.check(function, State.self)
            self.makeState = makeState
            self.function = function
            self.latency = latency
            self.settling = settling
        }

        /// Latencies are added up, and parallel paths have memory for them.
        private static func possible(_ frames: Int) -> Int { max(0, min(frames, 1 << 24)) }

        func makeBody(_ format: NodeFormat) -> NodeBody {
            let cell = Cell(
                ProcessorState(makeState(format), function, sampleRate: format.sampleRate, nature: nature))
            body.withLock { $0 = cell }
            return .processor(cell)
        }

        var nonFiniteSamples: UInt64 {
            // SAFETY: the cell is kept, and the read is atomic.
            body.withLock { $0.map { unsafe $0.pointer.pointee.nonFinite.load(ordering: .relaxed) } ?? 0 }
        }
    }
}

private protocol ProcessorDriver: NodeDriver {
    var nonFiniteSamples: UInt64 { get }
}

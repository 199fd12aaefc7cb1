import AudioDSP
import AudioIO
import AudioRealtime
import CCheckedProcessors
import Glibc
import Synchronization

/// Offers a processor to `iounit plugin check --processor FILE`, which runs it as it runs plug-ins and says what it does on
/// the audio thread: the code in C that it calls too, into which the compiler does not look.
///
/// Called by the function `iounit_processors` of a dynamic library, once for each of its processors:
/// ```swift
/// @c(iounit_processors)
/// public func processors() {
///     let group = ParameterGroup<TremoloSetting>()
///     offer("tremolo", Tremolo(group.makeReader()), parameters: group.parameters, process: tremolo)
/// }
/// ```
/// Thread: the one that loads the library.
///
/// - Parameters:
///   - name: by which reports call it. Characters that are no letters, digits, - or _ become _; one that another processor
///     has gets a _ more.
///   - state, parameters, latencyFrames, function: as of a `Processor`. The state is made again for each instance.
///   - channels: 1…64.
public func offer<State: AudioProcessor & ~Copyable>(
    _ name: String, _ state: @autoclosure @escaping @Sendable () -> State, parameters: [Parameter] = [],
    channels: Int = 2, latencyFrames: @autoclosure @escaping @Sendable () -> Int = 0,
    process function: ProcessorFunction
) {
    ProcessorState.check(function, State.self)
    let processor = CheckedProcessor(
        name, parameters: parameters, channels: max(1, min(channels, 64)), latencyFrames: latencyFrames, function,
        TypedStates(state))
    CheckedProcessor.offered.withLock { $0.append(processor) }
}

/// A processor as LV2 sees it: a plug-in with an input and an output for each channel, a control for each parameter, and its
/// latency.
@safe final class CheckedProcessor: @unchecked Sendable {
    // Sendable: nothing of it changes; the descriptor is only read.
    let name: String
    /// Those that have a value.
    let parameters: [Parameter]
    let channels: Int
    let latencyFrames: @Sendable () -> Int
    let function: ProcessorFunction
    let states: any CheckedStates
    let descriptor: UnsafeMutablePointer<LV2_Descriptor>

    /// A name for a URI of its own: letters, digits, - and _.
    private static func freeName(_ name: String) -> String {
        let name = String(name.map { $0.isASCII && ($0.isLetter || $0.isNumber || "-_".contains($0)) ? $0 : "_" })
        return offered.withLock { offered in
            var free = name
            while offered.contains(where: { $0.name == free }) { free += "_" }
            return free
        }
    }

    /// Those of `iounit_processors`.
    static let offered = Mutex<[CheckedProcessor]>([])
    static let all: [CheckedProcessor] = {
        iounit_processors()
        return offered.withLock { $0 }
    }()

    init(
        _ name: String, parameters: [Parameter], channels: Int, latencyFrames: @escaping @Sendable () -> Int,
        _ function: ProcessorFunction, _ states: any CheckedStates
    ) {
        self.name = Self.freeName(name)
        self.parameters = parameters.filter { $0.info.kind != .action }
        self.channels = channels
        self.latencyFrames = latencyFrames
        self.function = function
        self.states = states
        unsafe descriptor = .allocate(capacity: 1)
        // SAFETY: here and below, a processor is never freed: the library has it as long as it is loaded.
        unsafe descriptor.initialize(
            to: LV2_Descriptor(
                URI: UnsafePointer(strdup("urn:iounit:processor:\(self.name)")), instantiate: makeInstance,
                connect_port: connect, activate: activate, run: run, deactivate: nil, cleanup: free, extension_data: nil
            ))
    }

    /// The number of the port that tells the latency.
    var latencyPort: Int { 2 * channels + parameters.count }
}

/// Makes states of one type.
protocol CheckedStates: Sendable {
    func make() -> any CheckedState
}

private final class TypedStates<State: AudioProcessor & ~Copyable>: CheckedStates {
    private let state: @Sendable () -> State
    init(_ state: @escaping @Sendable () -> State) { self.state = state }
    func make() -> any CheckedState { TypedState(state()) }
}

/// A processor's state at a fixed address.
protocol CheckedState: AnyObject {
    var address: UnsafeMutableRawPointer { get }
    func reset(sampleRate: Int)
}

@safe private final class TypedState<State: AudioProcessor & ~Copyable>: CheckedState {
    private let state: Cell<State>
    init(_ state: consuming State) { self.state = Cell(state) }

    var address: UnsafeMutableRawPointer { unsafe UnsafeMutableRawPointer(state.pointer) }

    func reset(sampleRate: Int) {
        // SAFETY: nothing is processed meanwhile.
        unsafe state.pointer.pointee.reset(sampleRate: sampleRate)
    }
}

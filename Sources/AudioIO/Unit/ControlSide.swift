import AudioRealtime
import Jack
import Synchronization

/// What a unit shares with its collector and with JACK's notification thread.
///
/// An object of its own: neither thread holds the unit, not even for a moment, or the unit could end on one of them,
/// and its end waits for both.
final class ControlSide: Sendable {
    let control: Mutex<Control>
    /// Of the cycles.
    let telemetry: Telemetry
    let xruns = Atomic<UInt64>(0)
    /// The sum of the delays that JACK named with them.
    let xrunDelayNanoseconds = Atomic<UInt64>(0)
    let isCounting = Atomic<Bool>(false)
    private let listener = Mutex(Listener())
    /// In JACK's words; empty while the server is there.
    let shutdownReason = Mutex("")

    /// A value around the function: a lock that holds a bare function wraps it once more whenever it is read, and in the
    /// end a call of it overflows the stack.
    private struct Listener {
        var hear: (@Sendable (Notification) -> Void)?
    }

    /// The control side of the parameters.
    struct Control: ~Copyable {
        var parameters: Parameters
        var commands: Producer<Command>
        /// Whether the queue was full, so that the audio thread does not know all of the parameters. The collector
        /// sends them once more, as a whole: a flood of changes neither piles up nor makes the last one late.
        var isBehind = false
        var isRunning = false

        init(parameters: Parameters, commands: consuming Producer<Command>) {
            self.parameters = parameters
            self.commands = commands
        }
    }

    init(parameters: Parameters, commands: consuming Producer<Command>, records: consuming Consumer<CycleRecord>) {
        control = Mutex(Control(parameters: parameters, commands: commands))
        telemetry = Telemetry(records)
    }

    /// - Parameter hear: called on JACK's notification thread with all that JACK says, from one start to the next.
    func listen(_ hear: @escaping @Sendable (Notification) -> Void) { listener.withLock { $0.hear = hear } }

    /// Thread: notification.
    func tell(_ notification: Notification) { listener.withLock { $0.hear }?(notification) }

    func noteXrun(delayMicroseconds: Double) {
        guard isCounting.load(ordering: .relaxed) else { return }
        xruns.add(1, ordering: .relaxed)
        xrunDelayNanoseconds.add(UInt64(max(0, min(delayMicroseconds, 1e12)) * 1000), ordering: .relaxed)
    }

    func send(_ command: Command) {
        control.withLock { control in
            control.parameters.apply(command)
            // A unit that does not run takes the parameters as a whole when it starts.
            guard control.isRunning, !control.isBehind else { return }
            if !control.commands.push(command) { control.isBehind = true }
        }
    }

    /// A start takes the parameters over as a whole. Under the lock, so that no command comes between what is taken over
    /// and what is void.
    func begin<Failure: Error>(_ reset: (Parameters) throws(Failure) -> Void) throws(Failure) {
        try control.withLock { control throws(Failure) in
            control.isBehind = false
            control.isRunning = true
            try reset(control.parameters)
        }
    }

    /// Reads the telemetry, and catches up with what the command queue had no room for.
    /// Thread: the collector, or control.
    func collect() {
        telemetry.collect()
        control.withLock { control in
            guard control.isRunning, control.isBehind else { return }
            for command in control.parameters.commands {
                // Whatever is sent twice does no harm.
                guard control.commands.push(command) else { return }
            }
            control.isBehind = false
        }
    }
}

extension ControlSide {
    /// What the ports declare: whole frames, because JACK knows no others.
    func addedFrames(queued: Int) -> Int {
        queued + Int(control.withLock { $0.parameters.latencyFrames }.rounded())
    }
}

extension Parameters {
    /// What brings a unit in any state to these parameters.
    fileprivate var commands: [Command] {
        [
            .gain(gain), .drive(drive), .shape(shape), .antialiasing(antialiasing), .phase(phase),
            .makeUpGain(hasMakeUpGain), .bypass(isBypassed), .mute(isMuted), .pause(isPaused),
        ]
    }
}

import AudioDSP
import AudioRealtime
import Jack
import Threads

/// What a unit in callback mode and one in queued mode have in common: each is a client in the graph, has parameters,
/// and leaves a record of each cycle.
///
/// `start` and `stop` wait for JACK, and what tells of the connection waits for them; parameters and figures return at
/// once. All may be called from any thread but the audio thread.
public protocol GraphUnit: AnyObject, Sendable {
    var client: UnitClient { get }

    /// Opens the client, joins the graph and makes the connections. Thread: control.
    func start(_ wiring: Wiring) throws(UnitError)
    /// Leaves the graph and closes the client. What was counted stays. Thread: control.
    func stop()
}

// Life.
extension GraphUnit {
    /// Opens the client, joins the graph and makes the connections of the configuration. Thread: control.
    public func start() throws(UnitError) { try start(.routes) }

    public func restart() throws(UnitError) {
        stop()
        try start()
    }

    /// Hands over the record of each cycle from now on, in order, in batches about a hundred times a second.
    ///
    /// - Parameter listener: called on a worker, or on the thread of whoever asks for figures. It must not call the
    ///   unit. `nil` ends it.
    public func onCycles(_ listener: (@Sendable ([CycleRecord]) -> Void)?) {
        client.controlSide.telemetry.listen(listener)
    }
}

// Parameters.
extension GraphUnit {
    /// What the unit is told to do.
    public var parameters: Parameters { client.controlSide.control.withLock { $0.parameters } }

    /// - Parameter decibels: −120…60; what lies outside is moved to the nearest end. NaN changes nothing.
    public func setGain(decibels: Double) {
        guard !decibels.isNaN else { return }
        client.controlSide.send(.gain(Float(Decibels.linear(limited(decibels)))))
    }

    /// - Parameter linear: a factor of 0 or more; 0 is silence.
    public func setGain(linear: Double) {
        guard linear >= 0 else { return }
        let largest = Decibels.linear(UnitConfiguration.decibelRange.upperBound)
        client.controlSide.send(.gain(Float(min(linear, largest))))
    }

    /// - Parameter decibels: −120…60; what lies outside is moved to the nearest end. NaN changes nothing.
    public func setDrive(decibels: Double) {
        guard !decibels.isNaN else { return }
        client.controlSide.send(.drive(Float(Decibels.linear(limited(decibels)))))
    }

    public func setShape(_ shape: Shape) { client.controlSide.send(.shape(shape)) }
    /// The latency changes with it (`Parameters.latencyFrames`); what the ports declare follows a moment later.
    public func setAntialiasing(_ antialiasing: Antialiasing) { client.controlSide.send(.antialiasing(antialiasing)) }
    /// As `setAntialiasing`.
    public func setFilterPhase(_ phase: FilterPhase) { client.controlSide.send(.phase(phase)) }
    /// See `Parameters.hasMakeUpGain`.
    public func setMakeUpGain(_ isOn: Bool) { client.controlSide.send(.makeUpGain(isOn)) }
    public func setBypass(_ isBypassed: Bool) { client.controlSide.send(.bypass(isBypassed)) }
    public func setMute(_ isMuted: Bool) { client.controlSide.send(.mute(isMuted)) }
    /// Fades out as a mute does; once it is silent, nothing goes to the taps, so that a recording waits too. Cycles,
    /// records and connections go on.
    public func setPause(_ isPaused: Bool) { client.controlSide.send(.pause(isPaused)) }

    private func limited(_ decibels: Double) -> Double {
        let range = UnitConfiguration.decibelRange
        return min(max(decibels, range.lowerBound), range.upperBound)
    }
}

// Figures.
extension GraphUnit {
    /// The intervals between starts of the callback since the last call.
    public func takeIntervals() -> IntervalWindow { client.controlSide.telemetry.takeWindow() }

    /// The record of the cycle that began at a time of JACK's frame clock, if it is among the last 8192.
    public func cycle(atFrameTime frameTime: UInt32) -> CycleRecord? {
        client.controlSide.telemetry.account?.cycle(atFrameTime: frameTime)
    }

    /// The records of the last 8192 cycles, in order.
    package var recentCycles: [CycleRecord] { client.controlSide.telemetry.account?.recentCycles ?? [] }

    /// The record of the last cycle; `nil` before the first.
    public var lastCycle: CycleRecord? { client.controlSide.telemetry.account?.last }

    /// When the frames of the last cycle were over, on the monotonic clock; `nil` before the first.
    package var renderedUntilNanoseconds: UInt64? { client.controlSide.telemetry.account?.renderedUntilNanoseconds }

    package var cycles: UInt64 { client.controlSide.telemetry.cycles }
    /// How long the last cycle should have taken.
    package var periodSeconds: Double {
        let rate = client.sampleRate
        return rate > 0 ? Double(client.periodFrames) / Double(rate) : 0
    }

    /// What the unit is connected to, or `nil` while it does not run.
    public var connection: UnitConnection? { client.connection }
    /// What the audio thread has cost so far, or `nil` while the unit does not run.
    public var audioThreadUsage: ThreadUsage? { client.audioThreadUsage }
    /// The server's estimate of its load, 0…1; 0 while the unit does not run.
    public var dspLoad: Double { client.dspLoad }
    /// The server's present period in frames; 0 while the unit does not run.
    public var periodFrames: Int { client.periodFrames }
    /// Whether the server has gone away under the unit. It must be stopped then, and can be started again.
    public var hasLostServer: Bool { client.hasLostServer }
    /// Why the server went away, in JACK's words, if it said so; empty before.
    public var lostServerReason: String { client.controlSide.shutdownReason.withLock { $0 } }
    public var isRunning: Bool { client.isRunning }

    /// The notifications from now on; ends at once while the unit does not run.
    public func notifications() -> AsyncStream<Notification> { client.notifications() }
}

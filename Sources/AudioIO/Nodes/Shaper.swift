import AudioDSP
import AudioRealtime
import Synchronization

/// Gain into a waveshaper, with what is done against its aliases: all that an `IOUnit` does to the sound.
///
/// A change of gain or drive is a ramp, any other one a crossfade.
public final class Shaper: Node {
    public let core: NodeCore
    private let driver: Driver

    /// - Parameters:
    ///   - shape: the curve.
    ///   - driveDecibels: −120…60; what lies outside is moved to the nearest end.
    ///   - antialiasing: at the cost of latency (see `Antialiasing`), which the engine makes up for in parallel ways.
    ///   - phase: how the filters of an oversampling delay the sound.
    ///   - table: what the shape `table` stands for; without one it is the same as `hard`.
    ///   - channels: 1…256; `nil` for as many as the engine has outputs.
    public convenience init(
        _ shape: Shape = .cubic, driveDecibels: Double = 0, antialiasing: Antialiasing = .off,
        phase: FilterPhase = .linear, table: ShapeTable? = nil, channels: Int? = nil
    ) {
        var parameters = Parameters()
        parameters.shape = shape
        parameters.antialiasing = antialiasing
        parameters.phase = phase
        self.init(parameters, table: table, channels: channels)
        self.driveDecibels = driveDecibels
    }

    /// - Parameters:
    ///   - parameters: see `Parameters`.
    ///   - table: what the shape `table` stands for; without one it is the same as `hard`.
    ///   - channels: 1…256; `nil` for as many as the engine has outputs.
    public init(_ parameters: Parameters, table: ShapeTable? = nil, channels: Int? = nil) {
        driver = Driver(parameters, table)
        core = NodeCore("shaper", channels: channels, driver: driver)
    }

    /// All that can be set, at once.
    public var parameters: Parameters {
        get { driver.parameters }
        set { change { $0 = newValue } }
    }

    /// Changes several parameters at once. Thread: any but audio.
    public func change(_ body: (inout Parameters) -> Void) { driver.change(body) }

    /// Before the shaper, in decibels, −120…60; what lies outside is moved to the nearest end, NaN changes nothing.
    public var gainDecibels: Double {
        get { Decibels.decibels(Double(parameters.gain)) }
        set { if !newValue.isNaN { change { $0.gain = Self.linear(newValue) } } }
    }

    /// Into the shaper, in decibels, −120…60; what lies outside is moved to the nearest end, NaN changes nothing. Without
    /// effect where the shape is `off`.
    public var driveDecibels: Double {
        get { Decibels.decibels(Double(parameters.drive)) }
        set { if !newValue.isNaN { change { $0.drive = Self.linear(newValue) } } }
    }

    /// The curve. Any other one fades in.
    public var shape: Shape {
        get { parameters.shape }
        set { change { $0.shape = newValue } }
    }

    /// The latency changes with it (`latencyFrames`).
    public var antialiasing: Antialiasing {
        get { parameters.antialiasing }
        set { change { $0.antialiasing = newValue } }
    }

    /// As `antialiasing`.
    public var phase: FilterPhase {
        get { parameters.phase }
        set { change { $0.phase = newValue } }
    }

    /// See `Parameters.hasMakeUpGain`.
    public var hasMakeUpGain: Bool {
        get { parameters.hasMakeUpGain }
        set { change { $0.hasMakeUpGain = newValue } }
    }

    /// Leaves the signal alone: neither gain nor shape.
    public var isBypassed: Bool {
        get { parameters.isBypassed }
        set { change { $0.isBypassed = newValue } }
    }

    /// Silence at the output; the sound fades out and in.
    public var isMuted: Bool {
        get { parameters.isMuted }
        set { change { $0.isMuted = newValue } }
    }

    /// How much later the sound leaves than it came, in frames.
    public var latencyFrames: Double { parameters.latencyFrames }

    private static func linear(_ decibels: Double) -> Float {
        Float(Decibels.linear(max(-120, min(decibels, 60))))
    }

    private final class Driver: NodeDriver {
        private let table: ShapeTable?
        private let state: Mutex<State>

        private struct State: ~Copyable {
            var parameters: Parameters
            var news: MailboxWriter<Parameters>?
        }

        init(_ parameters: Parameters, _ table: ShapeTable?) {
            self.table = table
            state = Mutex(State(parameters: parameters, news: nil))
        }

        var parameters: Parameters { state.withLock { $0.parameters } }

        func change(_ body: (inout Parameters) -> Void) {
            state.withLock { state in
                body(&state.parameters)
                state.news?.put(state.parameters)
            }
        }

        /// As the ports declare it: JACK knows whole frames.
        var latencyFrames: Int { Int(parameters.latencyFrames.rounded()) }
        /// Until the filters have settled.
        var settlingFrames: Int { parameters.settlingFrames }

        func makeBody(_ format: NodeFormat) -> NodeBody {
            state.withLock { state in
                let mailbox = Mailbox(state.parameters)
                let writer = mailbox.writer
                state.news = consume writer
                var chain = Chain(
                    parameters: state.parameters, rampFrames: format.rampFrames,
                    maximumFrames: PlanRunner.maximumFrames, channels: format.channels, table: table)
                chain.reset(
                    parameters: state.parameters, rampFrames: format.rampFrames, sampleRate: format.sampleRate)
                return .shaper(Cell(ShaperState(chain, news: mailbox.reader)))
            }
        }
    }
}

import AudioDSP
import AudioRealtime
import Synchronization

/// Something in an engine that makes, changes or hears sound: a `Shaper`, a `Mixer`, a `Player`.
///
/// Made by anybody, then attached to one engine at a time, which keeps it. Its properties may be set from any thread but the
/// audio thread, before it is attached and while it sounds; a change makes no click.
public protocol Node: AnyObject, Sendable {
    /// What the engine knows of it.
    var core: NodeCore { get }
    /// What can be set of it, for all that knows no type of it. Thread: any but audio.
    var parameters: [Parameter] { get }
}

extension Node {
    /// None.
    public var parameters: [Parameter] { [] }
    /// How many channels it has; `nil` where that is the engine's to say, to which it is not attached yet.
    public var channels: Int? { core.channels }
    /// Whether an engine has it.
    public var isAttached: Bool { core.place != nil }

    /// - Throws: `invalidConfiguration` where it cannot work at a sample rate, in hertz.
    package func check(sampleRate: Int) throws(UnitError) {
        let rates = core.driver.sampleRates
        guard !rates.contains(sampleRate) else { return }
        throw .invalidConfiguration(
            "the \(core.kind) works at sample rates of \(rates.lowerBound) to \(rates.upperBound) Hz, and not at "
                + "\(sampleRate) Hz; choose one of these, or take the \(core.kind) away")
    }
}

/// What an engine knows of a node: its kind, its place among others, and who makes the audio thread's side of it.
public final class NodeCore: Sendable {
    /// As an error names it: "mixer", "delay".
    public let kind: String
    package let driver: any NodeDriver
    private let requestedChannels: Int?
    private let attached = Mutex<Place?>(nil)

    /// Where a node is.
    package struct Place: Sendable {
        /// The engine's number. Not the engine itself, which keeps its nodes.
        let graph: Int
        let identifier: NodeGraph.Identifier
        let channels: Int
    }

    /// - Parameter channels: 1…256; `nil` for as many as the engine has outputs.
    package init(_ kind: String, channels: Int?, driver: any NodeDriver) {
        self.kind = kind
        requestedChannels = channels.map { max(1, min($0, 256)) }
        self.driver = driver
    }

    package var place: Place? { attached.withLock { $0 } }
    var channels: Int? { place?.channels ?? requestedChannels }

    /// Takes the place, unless the node has one already; returns whether it did.
    func attach(_ place: Place) -> Bool {
        attached.withLock { attached in
            guard attached == nil else { return false }
            attached = place
            return true
        }
    }

    func detach() { attached.withLock { $0 = nil } }
}

/// The control side of a node: makes what the audio thread runs, and does what has to be done beside it.
package protocol NodeDriver: AnyObject, Sendable {
    /// Whether it hears nobody, so that nothing can be connected to it.
    var isSource: Bool { get }
    /// In hertz: those that it can work at. A run at another one is refused before it begins.
    var sampleRates: ClosedRange<Int> { get }
    /// Makes the audio thread's side. Thread: control.
    func makeBody(_ format: NodeFormat) -> NodeBody
    /// How much later the sound leaves than it came, in whole frames. Read a hundred times a second.
    var latencyFrames: Int { get }
    /// How many frames must pass before what it renders owes nothing to the silence before them.
    var settlingFrames: Int { get }
    /// The sample rate is another, or a run begins: before the first block of a start, and soon after a change while sound runs.
    /// Of a node that is attached while sound runs, at once; then it may wait for no file, for the engine's lock is held.
    func follow(_ format: NodeFormat)
    /// Does what its worker would have to do before the engine's frames up to this one: offline nobody is late. Thread: the
    /// renderer's.
    func renderAhead(to frame: UInt64)
    /// The node was detached, and may still fade out, or its engine was closed: its worker ends.
    func end()
}

extension NodeDriver {
    package var isSource: Bool { false }
    package var sampleRates: ClosedRange<Int> { 1...Int.max }
    package var latencyFrames: Int { 0 }
    package var settlingFrames: Int { 0 }
    package func follow(_ format: NodeFormat) {}
    package func renderAhead(to frame: UInt64) {}
    package func end() {}
}

/// What a node is to be made for.
package struct NodeFormat: Sendable {
    package var channels: Int
    /// In hertz.
    package var sampleRate: Int
    /// The cycle that is expected, in frames; 0 where that is not known.
    package var periodFrames: Int
    /// How long a change of a parameter lasts.
    package var rampMilliseconds: Double
    /// Whether workers keep up with the audio thread. Offline nobody need: `renderAhead` does it.
    package var hasWorkers: Bool
    /// Whether sound runs already.
    package var isRunning: Bool
    /// The engine's. The thread that renders begins each cycle of it.
    package var midi: Cell<MIDICycle>

    package init(
        channels: Int, sampleRate: Int, periodFrames: Int = 0, rampMilliseconds: Double, hasWorkers: Bool,
        isRunning: Bool = false, midi: Cell<MIDICycle> = Cell(MIDICycle())
    ) {
        self.midi = midi
        (self.channels, self.sampleRate, self.periodFrames) = (channels, sampleRate, periodFrames)
        (self.rampMilliseconds, self.hasWorkers, self.isRunning) = (rampMilliseconds, hasWorkers, isRunning)
    }

    /// How long a change of a parameter lasts at the sample rate.
    package var rampFrames: Int { Ramp.frames(milliseconds: rampMilliseconds, sampleRate: sampleRate) }
}

import AudioIO
import Threads

/// Takes out of what a microphone hears what a loudspeaker plays, and makes of it what a voice is to sound like: echo, noise,
/// gain, high-pass, by one of two libraries.
///
/// What it hears is the near end. The far end, which the loudspeaker plays, is what another node renders, mostly the engine's
/// output (`setFarEnd`). How much later it comes back at the near end is found by itself, up to half a second, within two seconds
/// of sound, and followed; so is the drift of two clocks.
///
/// The libraries want 10 ms at a time, take a tenth to a fifth of a millisecond for them in each channel, and one of them locks: so
/// a worker processes, and the audio thread only copies. The latency is 10 ms to gather a piece, 10 ms, or a period where that is
/// longer, for the worker, and what the library adds; the engine makes up for it in parallel paths, and the ports declare it.
///
/// Libraries take 8, 16, 32 and 48 kHz. Sound of any other rate is converted to the next of these, and back: above 48 kHz nothing
/// is left beyond 22 kHz. Below 1 kHz and above 384 kHz an engine that has one does not start, and one that is attached while
/// sound runs is silent.
public final class VoiceProcessor: Node {
    public let core: NodeCore
    /// The library.
    public let engine: VoiceEngine
    /// What it does.
    public let options: VoiceOptions
    private let driver: VoiceDriver

    /// - Parameters:
    ///   - engine: the library.
    ///   - options: what it does.
    ///   - channels: 1…256, each of which is processed for itself; `nil` for as many as the engine has outputs.
    /// - Throws: where the library is not installed.
    public init(
        _ engine: VoiceEngine = .webrtc, _ options: VoiceOptions = VoiceOptions(), channels: Int? = nil
    ) throws(MissingLibrary) {
        try engine.load()
        self.engine = engine
        self.options = options
        driver = VoiceDriver(engine, options)
        core = NodeCore("voice processor", channels: channels, driver: driver)
    }

    /// What is known by now. Thread: any but audio.
    public var figures: VoiceFigures { driver.figures }

    /// How much later the sound leaves than it came, in frames, at the present rate and period. Thread: any but audio.
    public var latencyFrames: Int { driver.latencyFrames }

    /// Has it take for the far end what a node renders, in place of what it took before; while sound runs too. `speex`
    /// tells two channels apart, each with a way of its own to the microphone; `webrtc` mixes them. Of more, the mean counts.
    /// Thread: any but audio.
    ///
    /// - Parameters:
    ///   - node: of that engine, which may be another one of the same server.
    ///   - engine: the node's.
    /// - Throws: `notAttached`.
    public func setFarEnd(_ node: some Node, of engine: Engine) throws(NodeError) {
        let tap = try engine.removableTap(node, capacityFrames: 1 << 17)
        let remove = tap.remove
        driver.setFar(tap.reader, remove)
    }

    /// Has it take nothing for the far end: no echo is cancelled. Thread: any but audio.
    public func removeFarEnd() { driver.setFar(nil, nil) }

    /// - Parameter listener: called on the worker with what was and what is known, when the delay was found, at first or once
    ///   more, or the canceller diverged. It may call the engine, but must not detach the node. `nil` ends it.
    public func onNews(_ listener: (@Sendable (VoiceFigures, VoiceFigures) -> Void)?) { driver.listen(listener) }
}

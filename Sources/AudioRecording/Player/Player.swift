import AudioFiles
import AudioIO
import Threads

/// Plays files, buffers, tones and noise, each from a frame on that one names, sample for sample.
///
/// One thing plays at a time. What begins while something plays takes its place: it is heard from its first frame as it is,
/// and the other fades out under it. Frames are counted as `Engine.position` and `BufferTime.position` have them; a player
/// that leads nowhere is not rendered, and what was to begin meanwhile begins late.
///
/// 65 536 things may be scheduled, stops among them; what comes on top of them is left out, and its `Playback.failure` and
/// `failure` say so. They are opened a second before they begin; of more than 64 within a second, those
/// that were scheduled for an earlier frame than the others, and after them, may begin late.
///
/// What has another sample rate is converted, what has more channels than the player is mixed down (`ChannelMatrix`), and one channel
/// goes to all of them. A worker reads one second ahead. When the server comes back, or changes its rate, the player goes on at
/// the time where it was. A player that is detached, or whose engine is closed, forgets what it had to play.
///
/// All may be called from any thread but the audio thread, before the engine runs too. While it runs on a server no call waits for a
/// file: a worker opens it some milliseconds later, and if that fails, `Playback.failure` says so. Offline the call opens it.
public final class Player: Node {
    public let core: NodeCore
    private let driver: PlayerDriver

    /// When something begins or ends.
    public enum Start: Sendable, Equatable {
        /// With the next block that is rendered once it is opened.
        case now
        /// At this one of the engine's frames; where that is over, as `now`.
        case frame(UInt64)
        /// When what was scheduled last ends, without a gap; at once where that is over already. Something that loops does not
        /// end.
        case afterPrevious
    }

    /// - Parameter channels: 1…256; `nil` for as many as the engine has outputs.
    public init(channels: Int? = nil) {
        driver = PlayerDriver()
        core = NodeCore("player", channels: channels, driver: driver)
    }

    /// Plays a sound file that libsndfile reads.
    ///
    /// - Parameters:
    ///   - from: the time in the file at which it begins, in seconds; the first frame is the nearest one.
    ///   - to: the time in the file at which it ends, in seconds; the nearest frame is not heard any more. `nil` for its end.
    ///   - loops: begins again at its end, without a seam, until something else takes its place.
    /// - Throws: `noInput`; `badInput`, also where the file ends before `from`. What plays goes on then.
    @discardableResult
    public func play(
        _ path: String, from: Double = 0, to: Double? = nil, at start: Start = .now, loops: Bool = false
    ) throws(SoundFileError) -> Playback {
        play(try Source(.file(path: path), loop: loops, from: from, to: to), at: start)
    }

    /// Plays a file, a tone, noise or silence.
    ///
    /// - Parameter loops: without effect but for a file.
    /// - Throws: `noInput`, `badInput`. What plays goes on then.
    @discardableResult
    public func play(
        _ kind: SourceKind, at start: Start = .now, loops: Bool = false
    ) throws(SoundFileError) -> Playback {
        play(try Source(kind, loop: loops), at: start)
    }

    /// Plays a buffer.
    ///
    /// - Parameters:
    ///   - sampleRate: in hertz, 1…3 072 000; what lies outside is moved to the nearest end. `nil` for the rate that the engine
    ///     has when it is first played.
    @discardableResult
    public func play(
        buffer: AudioBuffer, sampleRate: Int? = nil, at start: Start = .now, loops: Bool = false
    ) -> Playback {
        let rate = sampleRate.map { max(1, min($0, 3_072_000)) }
        return play(BufferSource(buffer, sampleRate: rate, loops: loops), at: start)
    }

    /// Plays what comes through a pipe.
    @discardableResult
    public func play(_ pipe: PipedSource, at start: Start = .now) -> Playback { play(pipe as any Playable, at: start) }

    /// Plays a source, which was checked before.
    @discardableResult
    public func play(_ source: Source, at start: Start = .now) -> Playback { play(source as any Playable, at: start) }

    @discardableResult
    package func play(_ item: any Playable, at start: Start = .now) -> Playback {
        let playback = Playback(item)
        driver.play([playback], at: start)
        return playback
    }

    /// Plays one thing after the other. A freewheeling server hears of all of them before it can be through with the first.
    ///
    /// - Parameter start: of the first.
    package func play(_ items: [any Playable], at start: Start) -> [Playback] {
        let playbacks = items.map { Playback($0) }
        driver.play(playbacks, at: start)
        return playbacks
    }

    /// Goes on at another time of what is heard, and with what follows that as before. It fades in, and what was heard fades out
    /// under it. Beyond the end, what follows begins.
    ///
    /// - Parameter seconds: in what is heard, as `Playback.seconds` has it; before its beginning, its beginning.
    /// - Returns: whether there was something to seek in. A pipe is not.
    @discardableResult
    public func seek(toSeconds seconds: Double) -> Bool {
        // Nothing is as long as a thousand million seconds, whose frames can still be counted.
        seconds.isNaN ? false : driver.seek(to: min(seconds, 1e9))
    }

    /// Takes back what was scheduled and is not being read yet, which begins a second before it is heard.
    ///
    /// - Returns: whether it was taken back.
    @discardableResult
    public func cancel(_ playback: Playback) -> Bool { driver.cancel([playback]) == 1 }

    /// Takes back what was scheduled and is not being read yet.
    ///
    /// - Returns: how many were taken back, from the last one on.
    package func cancel(_ playbacks: [Playback]) -> Int { driver.cancel(playbacks) }

    /// Plays sources with JACK's transport, in place of all else: one after the other from the transport's frame 0 on, each frame at
    /// its frame of the transport. What plays fades out where the transport stops. The transport waits until it can go on
    /// elsewhere where the engine's `EngineConfiguration.transport` is `synchronised`; where that is `observed`, a start at another
    /// place is silent for some milliseconds, which count as underruns.
    ///
    /// - Parameter sources: none, where the player is to follow the transport no more; what plays fades out.
    /// - Returns: one for each source, in their order. None of them is ever done.
    @discardableResult
    public func follow(_ sources: [Source]) -> [Playback] {
        let playbacks = zip(sources.indices, sources).map { index, source in
            Playback(
                source.between(
                    index > 0 ? sources[index - 1] : nil, index + 1 < sources.count ? sources[index + 1] : nil))
        }
        driver.follow(playbacks)
        return playbacks
    }

    /// Where a frame of JACK's transport lies in what is played with it: the number of the source, and the time in it from where
    /// its part begins, in seconds; `nil` behind the end.
    public func place(ofTransportFrame frame: UInt32, sampleRate: Int) -> (index: Int, seconds: Double)? {
        TransportTimeline.place(of: Int(frame), in: driver.timelineLengths, sampleRate: sampleRate)
    }

    /// What is heard at present, or begins as soon as it is opened; `nil` where nothing is.
    public var current: Playback? { driver.current }

    /// Whether what plays keeps its place in silence: it fades out, and goes on with the next frame when this is `false` again. What
    /// begins meanwhile waits at its first frame. Unlike `Engine.pause`, it holds up this player alone, and nothing is missed. What
    /// follows JACK's transport (`follow`) keeps time with that instead, and goes on where the transport is by then.
    public var isPaused: Bool {
        get { driver.isPaused }
        set { driver.isPaused = newValue }
    }

    /// Ends what plays at a frame: it fades out from there on. What was to begin there or later is left out, what is
    /// scheduled from now on is not.
    ///
    /// - Parameter end: `afterPrevious` changes nothing: what plays ends by itself.
    public func stop(at end: Start = .now) {
        switch end {
        case .now: driver.stop(at: 0)
        case .frame(let frame): driver.stop(at: frame)
        case .afterPrevious: break
        }
    }

    /// Whether there is something to play, now or later.
    public var isPlaying: Bool { !driver.isIdle }

    /// Returns when there is nothing more to play, or where the task is cancelled. Of an offline engine, which somebody else
    /// must render meanwhile, a block later.
    public func waitUntilEnd() async { await driver.waitUntilIdle() }

    /// Frames that were played since the player was made, at the engine's rate.
    public var playedFrames: Int { driver.playedFrames }
    /// Frames of silence that were played because the worker was late, at the start of a transport too.
    public var underrunFrames: Int { driver.underrunFrames }
    /// Samples that were NaN, infinite or absurd, and come out as silence.
    public var nonFiniteSamples: Int { driver.nonFiniteSamples }
    /// The engine's frame at which was heard what began first; `nil` before.
    package var firstPosition: UInt64? { driver.firstPosition }
    /// The engine's frame at which was heard what began last; `nil` before.
    public var startPosition: UInt64? { driver.startPosition }
    /// The engine's frame at which that ended; `nil` while it plays. Where it is stopped, the fade comes behind.
    public var endPosition: UInt64? { driver.endPosition }
    /// Why the last thing that could not be played to its end was not.
    public var failure: SoundFileError? { driver.failure }
    /// Why there is no worker, where the machine had no more threads to give.
    package var refusal: ResourceError? { driver.refusal }
}

import AudioFiles
import Synchronization
import Threads

/// Sound that comes through a pipe, and is played as it comes.
///
/// A worker waits for the pipe, so that nobody else has to. It reads two seconds ahead of what is played, and keeps four seconds
/// behind that, for a server that changes its rate; fewer of what has more samples a second than 32 channels at 192 kHz. Where
/// the pipe is slower than the sound, the player's underruns tell.
public final class PipedSource: Sendable {
    /// As an error names it.
    public let name: String
    /// In hertz.
    public let sampleRate: Int
    /// How many channels come.
    public let channels: Int
    /// The format in libsndfile's words.
    public let formatWords: String
    /// Where the part begins that is played, in seconds of what comes.
    public let from: Double
    /// Where it ends; `nil` for the end of the pipe.
    public let to: Double?
    /// How many frames the part has, as the header promises; `nil` where it does not know, as from most pipes.
    private let promisedFrames: Int?
    private let state = Mutex(State())
    private let room = Semaphore()
    /// What is read in place of a pipe, so that a writer that brings no more keeps no thread waiting; `nil` for a file.
    private let relay: PipeRelay?

    static let blockFrames = 1024

    fileprivate struct State {
        /// Blocks of interleaved samples from frame `start` on.
        var blocks: [[Float]] = []
        var start = 0
        /// Frames in all, up to now.
        var end = 0
        /// The frame that is read next.
        var position = 0
        /// How often it was opened. The last one reads.
        var openings = 0
        var hasEnded = false
        var failure: SoundFileError?
        var flaws: [SoundFileFlaw] = []
        var isAbandoned = false
    }

    /// Waits for the header up to ten seconds, and begins to read.
    ///
    /// - Parameters:
    ///   - descriptor: stays the caller's; nobody else may read from it.
    ///   - from: seconds that are read and left out.
    /// - Throws: `noInput`, `badInput`; `io` where there is no thread.
    public init(
        descriptor: CInt, name: String, from: Double = 0, to: Double? = nil
    ) throws(SoundFileError) {
        let relay: PipeRelay?
        do throws(ResourceError) {
            relay = PipeRelay.isNeeded(for: descriptor) ? try PipeRelay(descriptor) : nil
        } catch {
            throw SoundFileError(.io, "play", name, "\(error)")
        }
        var isReading = false
        defer { if !isReading { relay?.close() } }
        let file = try SoundFileReader(
            descriptor: relay?.descriptor ?? descriptor, name: name, accepting: .readablePart, operation: "play")
        file.silencesNotFinite = false
        self.relay = relay
        self.name = name
        self.from = max(0, from)
        self.to = to
        sampleRate = file.sampleRate
        channels = file.channels
        formatWords = file.formatWords
        let start = file.frame(at: from)
        let end = max(start, to.map(file.frame) ?? Int.max)
        promisedFrames = file.frames.map { max(0, min($0, end) - start) }
        // Safe to hand over: it is made above, this function does not touch it any more, and the thread alone refers to it.
        nonisolated(unsafe) let handed = file
        do throws(ResourceError) {
            // It holds on to this source, until the pipe ends or nobody wants it.
            _ = try Worker("iounit-pipe") { [self] in unsafe readAll(handed, from: start, to: end) }
            isReading = true
        } catch {
            throw SoundFileError(.io, "play", name, "\(error)")
        }
    }

    /// How long the part lasts, as the header promises; `nil` where it does not know.
    public var seconds: Double? { promisedFrames.map { Double($0) / Double(sampleRate) } }
    /// Whether its first frames have come, or it has ended.
    public var isReady: Bool { state.withLock { $0.end > 0 || $0.hasEnded } }
    /// What was found to be wrong with it so far.
    public var flaws: [SoundFileFlaw] { state.withLock { $0.flaws } }

    /// Nothing more is read, and the worker ends, also where it waits for the pipe.
    public func abandon() {
        state.withLock { $0.isAbandoned = true }
        room.handle.post()
        relay?.end()
    }
}

// The worker.
extension PipedSource {
    /// Of more samples a second fewer seconds are kept: 150 MB, whatever a header claims.
    private static let mostSamplesPerSecond = 32 * 192_000

    /// What counts as a second.
    static func secondFrames(sampleRate: Int, channels: Int) -> Int { min(sampleRate, mostSamplesPerSecond / channels) }

    private var aheadFrames: Int { 2 * Self.secondFrames(sampleRate: sampleRate, channels: channels) }
    private var keptFrames: Int { 2 * aheadFrames }

    private func readAll(_ file: SoundFileReader, from start: Int, to end: Int) {
        defer { relay?.close() }
        var block = [Float](repeating: 0, count: Self.blockFrames * channels)
        do throws(SoundFileError) {
            // Not by `seek`, which does not hear that nobody wants it any more.
            while file.position < start, !state.withLock({ $0.isAbandoned }) {
                if try file.read(min(start - file.position, Self.blockFrames), into: &block) == 0 { break }
            }
            while file.position < end, waitForRoom() {
                let count = try file.read(min(Self.blockFrames, end - file.position), into: &block)
                if count == 0 { break }
                let samples = Array(block.prefix(count * channels))
                state.withLock { state in
                    state.blocks.append(samples)
                    state.end += count
                }
            }
        } catch {
            // Of what nobody wants any more, the end is no fault.
            state.withLock { if !$0.isAbandoned { $0.failure = error } }
        }
        state.withLock { state in
            if !state.isAbandoned { state.flaws = file.flaws }
            state.hasEnded = true
        }
    }

    /// Returns whether more is wanted.
    private func waitForRoom() -> Bool {
        while true {
            let (isFull, isAbandoned) = state.withLock { ($0.end - $0.position >= aheadFrames, $0.isAbandoned) }
            if isAbandoned { return false }
            if !isFull { return true }
            room.wait()
        }
    }

    /// Goes to a frame that is still kept, or the nearest one. Who reads from there on has the number that is returned.
    fileprivate func rewind(to frame: Int) -> Int {
        state.withLock { state in
            state.position = max(state.start, min(frame, state.end))
            state.openings += 1
            return state.openings
        }
    }

    fileprivate func isDry(_ opening: Int) -> Bool {
        state.withLock { $0.openings == opening && !$0.hasEnded && $0.position == $0.end }
    }

    /// Nothing comes to an opening before the last: what fades out must take nothing from what is heard next.
    fileprivate func read(_ frames: Int, _ opening: Int, into target: inout [Float]) throws(SoundFileError) -> Int {
        let (samples, failure) = state.withLock { state -> ([Float], SoundFileError?) in
            guard state.openings == opening else { return ([], nil) }
            return (state.take(frames, channels: channels, keptFrames), state.failure)
        }
        if samples.isEmpty, let failure { throw failure }
        for index in samples.indices { target[index] = samples[samples.startIndex + index] }
        room.handle.post()
        return samples.count / channels
    }
}

extension PipedSource.State {
    /// The next frames, no more than there are in one block; drops what need not be kept any more.
    fileprivate mutating func take(_ frames: Int, channels: Int, _ keptFrames: Int) -> [Float] {
        while let first = blocks.first, start + first.count / channels < position - keptFrames {
            start += first.count / channels
            blocks.removeFirst()
        }
        var first = start
        for block in blocks {
            let count = block.count / channels
            if position < first + count {
                let offset = position - first
                let taken = min(frames, count - offset)
                position += taken
                return Array(block[(offset * channels)..<((offset + taken) * channels)])
            }
            first += count
        }
        return []
    }
}

extension PipedSource: Playable {
    package var startSeconds: Double { from }
    package var isSeekable: Bool { false }

    package func frames(at sampleRate: Int) -> Int? { nil }

    package func open(
        sampleRate: Int, channels: Int, from seconds: Double
    ) throws(SoundFileError) -> sending any Signal {
        let opening = rewind(to: frameCount(of: seconds, at: self.sampleRate))
        return try adapted(
            PipedSignal(source: self, opening: opening), from: self.sampleRate, to: sampleRate, channels: channels,
            name: name)
    }
}

/// What a pipe has brought, one block after the other.
private struct PipedSignal: Signal {
    let source: PipedSource
    let opening: Int
    private(set) var isDry = false

    var channels: Int { source.channels }
    var flaws: [SoundFileFlaw] { source.flaws }

    mutating func read(_ frames: Int, into target: inout [Float]) throws(SoundFileError) -> Int {
        // Before the read: what ends between the two is found at the next one.
        let isDry = source.isDry(opening)
        let count = try source.read(frames, opening, into: &target)
        self.isDry = count == 0 && isDry
        return count
    }
}

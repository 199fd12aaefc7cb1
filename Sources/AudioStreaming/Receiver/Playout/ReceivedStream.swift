import AudioDSP
import AudioRealtime
import Threads

/// One stream from its opening to its end: packets go in, frames go to a feed in time.
///
/// Thread: the receiver's worker.
final class ReceivedStream {
    let opening: StreamOpening
    private let channels: Int
    private var serverRate: Int
    /// Why it is silent on the server that there is by now; `nil` where it is not.
    private(set) var refusal: StreamError?
    private let settings: ReceiverSettings

    private var buffer = JitterBuffer()
    private var sequences = Unwrapper<UInt32>()
    private var frames = Unwrapper<UInt64>()
    private var window: DelayWindow
    private var loop: PlayoutLoop
    /// What the feed's first frame is in the stream; `nil` before the first packet.
    private var base: Int?
    private var player: PacketPlayer
    private var reading: ReceiverReading?
    private var rendered: RenderTime?
    private var latency: Double?
    /// Whether `end` was called.
    var isEnded: Bool { underrunsAtEnd != nil }
    /// By how much the worker wakes up later than it wants to.
    private var lateness = DelayWindow(0...0.01, first: 0)
    private var wakeNanoseconds = UInt64.max
    /// Later than the buffer holds, and not believed yet.
    private var veryLate: Arrived?
    private var restart = RestartWatch()
    private(set) var lastArrival: UInt64
    /// What neither the buffer nor the player counts.
    private var counts = ReceiverFigures()

    /// A unit that has not rendered for so long does not wait for frames.
    private static let staleNanoseconds: UInt64 = 500_000_000
    private static let restNanoseconds: UInt64 = 10_000_000
    /// A guess, where there was no callback yet.
    private static let usualPeriod = 256
    private let firstPeriod: Int

    /// - Parameters:
    ///   - channels: of the node.
    ///   - serverRate: in hertz.
    ///   - period: of the last block that the node rendered, in frames; `nil` before the first.
    ///   - first: what the buffer holds before anything was measured, in seconds.
    /// - Throws: `badData`, `codec`; `unsupported` for rates too far apart.
    init(
        _ opening: StreamOpening, channels: Int, serverRate: Int, period: Int? = nil, settings: ReceiverSettings,
        first: Double, at nanoseconds: UInt64
    ) throws(StreamError) {
        if let refusal = opening.refusal(serverRate: serverRate) { throw refusal }
        player = try PacketPlayer(opening, channels: channels)
        self.opening = opening
        self.channels = channels
        self.serverRate = serverRate
        self.settings = settings
        firstPeriod = period ?? Self.usualPeriod
        window = DelayWindow(0.0005...2, first: first)
        loop = PlayoutLoop(streamRate: opening.rate, serverRate: serverRate, delay: 0)
        lastArrival = nanoseconds
        loop.delay = delay(period: firstPeriod)
        counts.streams = 1
        counts.opening = opening
    }

    /// What this stream adds to the receiver's figures.
    var figures: ReceiverFigures {
        var figures = buffer.counts.adding(player.counts).adding(counts)
        figures.underrunFrames += underrunsAtEnd ?? reading?.underrunFrames ?? 0
        figures.driftPartsPerMillion = loop.driftPartsPerMillion
        figures.bufferSeconds = bufferSeconds
        figures.delaySeconds = loop.delay
        figures.latencySeconds = latency
        return figures
    }

    /// Where frames go at present.
    var line: FeedLine? { player.line }

    private var bufferSeconds: Double { settings.bufferMilliseconds.map { $0 / 1000 } ?? window.target }

    /// From the arrival of a packet to the callback that reads its first frame.
    private func delay(period: Int) -> Double {
        let reach = Double(lookahead) / Double(opening.rate) + Double(period) / Double(serverRate)
        return bufferSeconds + reach + Double(BlockSchedule.marginNanoseconds) / 1e9
    }

    private var lookahead: Int {
        VariableResampler.delayFrames(step: nominalStep) + 1
    }

    // What comes.

    /// Takes a packet; returns whether it belongs to this stream.
    ///
    /// - Parameter isTimed: whether the time is its own. The error of a time that many packets share counts once.
    func take(_ packet: StreamPacket, at nanoseconds: UInt64, isTimed: Bool = true) -> Bool {
        let passed = nanoseconds > lastArrival ? nanoseconds - lastArrival : 0
        let comesAlone = base == nil || isTimed && passed > togetherNanoseconds(packet)
        lastArrival = nanoseconds
        if packet.flags.contains(.header) {
            // It has no time of its own.
            if !player.takeHeader(packet) { countImpossible() }
            return true
        }
        guard packet.firstFrame < 1 << 62 else {
            countImpossible()
            return true
        }
        let number = sequences.unwrap(packet.sequence)
        let frame = frames.unwrap(packet.firstFrame)
        let base = self.base ?? frame
        // Why there is a gap is for people.
        let held = JitterBuffer.Packet(
            sequence: number, firstFrame: frame &- base, frames: Int(packet.frames), flags: packet.flags,
            payload: packet.isGap ? [] : packet.payload)
        let before = buffer.counts
        let arrival = buffer.insert(held)
        if arrival == .unrelated { return false }
        if restart.isSeen(in: arrival, at: nanoseconds) {
            // It counts in the next stream.
            buffer.counts = before
            return false
        }
        if arrival != .duplicate { counts.droppedBySender += Int(packet.lostPackets) }
        if packet.wallNanoseconds != 0 {
            rendered = RenderTime(frame: held.firstFrame, wallNanoseconds: packet.wallNanoseconds)
        }
        if held.isGap || held.isPlaceholder {
            // It comes at the end of the gap, or behind what is missing, and what came right before it had lain unfinished with the sender since the beginning.
            veryLate = nil
        } else if arrival != .duplicate {
            note(Arrived(frame: held.firstFrame, seconds: seconds(nanoseconds), comesAlone: comesAlone))
        }
        if self.base == nil {
            self.base = base
            begin(at: nanoseconds)
        }
        return true
    }

    /// A packet says what cannot be.
    private func countImpossible() {
        counts.receivedPackets += 1
        counts.damagedPackets += 1
    }

    /// What comes so soon behind another packet came together with it: the parts of a long one, which a network hands over one by one.
    private func togetherNanoseconds(_ packet: StreamPacket) -> UInt64 {
        min(1_000_000, UInt64(packet.frames) * 250_000_000 / UInt64(opening.rate))
    }

    /// A packet's time, from which the loop and the window learn how late the network is.
    private struct Arrived {
        var frame: Int
        /// On the monotonic clock.
        var seconds: Double
        /// Of those that come at once, as the parts of a long packet, the first waited for the others: it says when they were due.
        var comesAlone: Bool
    }

    /// One that is later than the buffer holds is believed when the next packet does not tell of a gap.
    private func note(_ arrived: Arrived) {
        if let earlier = veryLate {
            veryLate = nil
            learn(from: earlier)
        }
        if base != nil, loop.lateness(of: arrived.frame, at: arrived.seconds) > bufferSeconds {
            veryLate = arrived
        } else {
            learn(from: arrived)
        }
    }

    private func learn(from arrived: Arrived) {
        let lateness =
            arrived.comesAlone
            ? loop.arrive(arrived.frame, at: arrived.seconds) : loop.lateness(of: arrived.frame, at: arrived.seconds)
        window.add(lateness, at: arrived.seconds)
    }

    /// When a frame was rendered, by the sender's clock.
    func note(frame: UInt64, wallNanoseconds: Int64) {
        guard let base, frame < 1 << 62 else { return }
        var copy = frames
        rendered = RenderTime(frame: copy.unwrap(frame) &- base, wallNanoseconds: wallNanoseconds)
    }

    /// No more will come: the packets that are there are played to their end.
    func end() {
        guard !isEnded else { return }
        underrunsAtEnd = reading?.underrunFrames ?? 0
    }

    /// Of the present feed, when `end` was called: behind the last frame nothing is missing.
    private var underrunsAtEnd: Int?

    private func seconds(_ nanoseconds: UInt64) -> Double { Double(nanoseconds) / 1e9 }

    private func begin(at nanoseconds: UInt64) {
        let place = loop.place(at: seconds(nanoseconds)) ?? 0
        counts.underrunFrames += underrunsAtEnd ?? reading?.underrunFrames ?? 0
        if isEnded { underrunsAtEnd = 0 }
        loop.beginAgain(serverRate: serverRate)
        player.begin(
            FeedLine(
                channels: channels, capacity: player.capacity, step: nominalStep, first: buffer.nextFrame ?? 0,
                from: Int(place.rounded(.down)), at: nanoseconds, sampleRate: serverRate))
        line?.setStep(loop.step)
        reading = nil
    }

    /// Frames of the stream for one of the server, as if both clocks were right: that decides how far the resampler looks ahead.
    private var nominalStep: Double { Double(opening.rate) / Double(serverRate) }

    /// The server has another rate from now on, in hertz. Where that is too low, the stream is silent until it has another.
    func follow(serverRate: Int, at now: UInt64) {
        refusal = opening.refusal(serverRate: serverRate)
        guard refusal == nil, serverRate != self.serverRate else { return }
        self.serverRate = serverRate
        if line != nil { begin(at: now) }
    }

    // What is played.

    /// Does what is due; returns when there is something to do next, on the monotonic clock.
    func work(at now: UInt64) -> UInt64 {
        if now >= wakeNanoseconds { lateness.add(seconds(now - wakeNanoseconds), at: seconds(now)) }
        readBlocks()
        if player.isStuck, !isEnded, let reading, now < reading.entryNanoseconds + Self.staleNanoseconds {
            begin(at: now)
        }
        let schedule = schedule(at: now)
        let needed = (isEnded ? buffer.endFrame : schedule?.needed(at: now)) ?? 0
        let overtaken = schedule?.overtaken(at: now) ?? 0
        while let piece = buffer.next(needed: needed, overtaken: overtaken) { player.play(piece) }
        wakeNanoseconds = wakeTime(after: now, schedule)
        return wakeNanoseconds
    }

    /// Whether the last frame has been heard, or nobody hears.
    func isOver(at now: UInt64) -> Bool {
        guard isEnded, let line else { return isEnded }
        guard let reading else { return now > lastArrival + Self.staleNanoseconds }
        return reading.streamFrame > Double(line.written + lookahead)
            || now > reading.entryNanoseconds + Self.staleNanoseconds
    }

    private func readBlocks() {
        guard let line else { return }
        while let reading = line.reading() {
            self.reading = reading
            loop.delay = delay(period: reading.frames)
            let jump = loop.read(
                PlayoutLoop.Block(
                    time: seconds(reading.entryNanoseconds), position: Double(reading.position),
                    streamFrame: reading.streamFrame, jumps: reading.jumps))
            // Before the first sound there is nothing that could be heard of it, and behind the last nothing to follow.
            if jump != 0, !isEnded {
                line.jump(by: jump)
                if reading.streamFrame + Double(reading.frames) > 0 { counts.jumps += 1 }
            }
        }
        if !isEnded { line.setStep(loop.step) }
        guard let reading, let rendered else { return }
        let present = rendered.age(
            of: reading.streamFrame, at: WallClock.nanoseconds(ofMonotonic: reading.entryNanoseconds),
            rate: opening.rate)
        latency = present.map { present in latency.map { $0 + 0.1 * (present - $0) } ?? present }
    }

    /// `nil` where nobody renders.
    private func schedule(at now: UInt64) -> BlockSchedule? {
        guard let reading, now < reading.entryNanoseconds + Self.staleNanoseconds else { return nil }
        return BlockSchedule(
            reading: reading, frames: Double(reading.frames) * loop.step,
            periodNanoseconds: Double(reading.frames) * 1e9 / Double(serverRate), lookahead: lookahead,
            lateness: lateness.target * 1e9)
    }

    private func wakeTime(after now: UInt64, _ schedule: BlockSchedule?) -> UInt64 {
        let rest = now + Self.restNanoseconds
        guard let schedule, let next = buffer.nextFrame else { return rest }
        // Before what waits there is a hole.
        return min(rest, max(schedule.time(of: next, isOvertaken: buffer.waiting > 0), now + 100_000))
    }
}

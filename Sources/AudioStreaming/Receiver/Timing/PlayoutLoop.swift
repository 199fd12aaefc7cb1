/// Holds the place at which a stream is read a fixed time behind the place at which it arrives, though the sender's clock and
/// the sound card's differ.
///
/// Two filtered loops tell the two clocks: one of the arrival of packets, one of the callbacks of the audio thread. Both have a natural
/// frequency of 0.02 rad/s = 0.003 Hz, less where times jitter by more than 0.5 ms. The rate is known to 10 ppm after some 10 s and to 1 ppm
/// after some 60 s where packets of 10 ms jitter by 1 ms; with 50 ± 20 ms of delay to 5 ppm. A change of the rate by 50 ppm or more is
/// noticed within some seconds and learned as at the start, while the place is off by 1 ms at the most (2.4 ms for 1000 ppm); a smaller one
/// is followed by the loops. The speed is what their rates say, with a correction for the place: 0.02 per second for what is within 1 ms,
/// faster in the first seconds, 0.2 per second for the rest, and never more than 0.1 %. Where the place is far off,
/// as after lost time of the server or a buffer that had to grow, it jumps.
///
/// It knows no clock, socket or thread itself.
struct PlayoutLoop: Sendable {
    /// A block of the audio thread.
    struct Block: Sendable {
        /// When its callback began, in seconds.
        var time: Double
        /// Frames that the server had rendered before.
        var position: Double
        /// The place that it read the stream at.
        var streamFrame: Double
        /// How many jumps it had taken.
        var jumps: Int
    }

    let streamRate: Double
    private(set) var serverRate: Double
    private(set) var sender: ClockFilter
    private var server: ClockFilter
    /// How far the place is to be behind what arrives, in seconds.
    var delay: Double
    private(set) var jumps = 0
    /// How fast the place is to move: frames of the stream for one of the server.
    private(set) var step: Double
    /// By how much the place is behind, in seconds, by the last block.
    private(set) var error = 0.0
    private var firstTime: Double?

    private static let slowGain = 0.02
    private static let fastGain = 0.2
    private static let mostCorrection = 0.001
    private static let ease = 0.001
    /// Beyond these it jumps: when it reads too late, which costs latency, and when it reads too early, which costs sound.
    private static let lateJump = 0.02
    private static let earlyJump = 0.004

    init(streamRate: Int, serverRate: Int, delay: Double) {
        self.streamRate = Double(streamRate)
        self.serverRate = Double(serverRate)
        self.delay = delay
        step = self.streamRate / self.serverRate
        sender = ClockFilter(
            ClockFilter.Settings(
                sampleRate: self.streamRate, bandwidth: 0.02, jitter: 0.003, patience: 2, tolerance: 0.002,
                beginsWithBurst: true))
        server = Self.serverFilter(serverRate)
    }

    /// Another feed is read from its own place on, maybe at another rate of the server in hertz.
    mutating func beginAgain(serverRate: Int) {
        jumps = 0
        // What it knew of the callbacks is from before they stood still.
        server = Self.serverFilter(serverRate)
        guard Double(serverRate) != self.serverRate else { return }
        self.serverRate = Double(serverRate)
        step = streamRate / self.serverRate
    }

    private static func serverFilter(_ rate: Int) -> ClockFilter {
        ClockFilter(
            ClockFilter.Settings(
                sampleRate: Double(rate), bandwidth: 0.02, jitter: 0.0002, patience: 0.05,
                tolerance: 0.0005))
    }

    /// By how much the sender's clock is faster than this machine's sound card, in millionths; `nil` before both are known.
    var driftPartsPerMillion: Double? {
        guard sender.elapsed > 1, server.elapsed > 1 else { return nil }
        return ((sender.frequency / streamRate) / (server.frequency / serverRate) - 1) * 1e6
    }

    /// A packet has come; returns by how much it was later than it was due, in seconds.
    mutating func arrive(_ frame: Int, at time: Double) -> Double { sender.add(Double(frame), at: time) }

    /// By how much later a packet comes than it was due, in seconds, where nothing is to be learned from it.
    func lateness(of frame: Int, at time: Double) -> Double { time - sender.time(of: Double(frame)) }

    /// The place that ought to be read at a time; `nil` before anything has come.
    func place(at time: Double) -> Double? {
        sender.hasBegun ? sender.frame(at: time) - delay * streamRate : nil
    }

    /// A block was read; returns by how many frames the place is to jump, 0 as a rule.
    mutating func read(_ block: Block) -> Int {
        _ = server.add(block.position, at: block.time)
        if firstTime == nil { firstTime = block.time }
        let due = server.time(of: block.position)
        guard let wanted = place(at: due) else { return 0 }
        // What is on its way has not been heard of yet.
        guard block.jumps == jumps else { return 0 }
        error = (wanted - block.streamFrame) / streamRate
        let young = 1 / max(1, min(sender.elapsed, block.time - (firstTime ?? 0)))
        let near = max(-Self.ease, min(error, Self.ease))
        let correction = max(min(Self.slowGain, sender.bandwidth), 0.5 * young) * near + Self.fastGain * (error - near)
        let held = max(-Self.mostCorrection, min(correction, Self.mostCorrection))
        step = sender.frequency / server.frequency * (1 + held)
        guard error > Self.lateJump || error < -Self.earlyJump else { return 0 }
        jumps += 1
        return Int((error * streamRate).rounded())
    }
}

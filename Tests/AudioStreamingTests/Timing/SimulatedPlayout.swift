import TestSupport

@testable import AudioStreaming

/// A sender, a network and a sound card, each with a clock of its own, around a playout loop: no time passes but the one that is
/// counted here.
struct SimulatedPlayout {
    var streamRate = 48000
    var serverRate = 48000
    /// How much faster the sender's clock is than it should be, and the sound card's.
    var senderError = 0.0
    var serverError = 0.0
    /// From when on the sender's clock has another error, and which.
    var change: (at: Double, error: Double)?
    var packetFrames = 480
    var periodFrames = 1024
    var network = SimulatedNetwork()
    /// How late callbacks begin, in seconds, evenly spread.
    var wakeup = 0.0...0.0001
    /// What the buffer is to hold beyond a period and the filter, in seconds.
    var buffer = 0.005
    /// When the server loses time, and how much, in seconds.
    var lostTime: (at: Double, seconds: Double)?
    /// From when on and for how long this machine's clock runs too fast, as while NTP corrects it, and by how much.
    var slew: (at: Double, seconds: Double, error: Double)?

    struct Outcome {
        /// Blocks of which a frame had not come.
        var underruns = 0
        var jumps = 0
        /// When the last one was, in seconds.
        var lastJump = 0.0
        /// From `settled` on, in millionths.
        var pitchError = 0.0
        /// When it was last off by more than a millionth.
        var lastOff = 0.0
        /// Of the delay behind the frame's being sent, in seconds, from `settled` on.
        var delay = (least: Double.infinity, most: -Double.infinity)
        var drift: Double?

        var spread: Double { delay.most - delay.least }
    }

    /// When the sender has rendered all before a frame.
    private func sent(_ frame: Double) -> Double {
        let rate = Double(streamRate) * (1 + senderError)
        guard let change, frame > change.at * rate else { return frame / rate }
        return change.at + (frame - change.at * rate) / (Double(streamRate) * (1 + change.error))
    }

    /// A time as this machine's clock says it.
    private func local(_ time: Double) -> Double {
        guard let slew, time > slew.at else { return time }
        return time + min(time - slew.at, slew.seconds) * slew.error
    }

    /// - Parameter settled: when pitch and delay begin to count, in seconds.
    func run(seconds: Double, settled: Double, seed: UInt64 = 3) -> Outcome {
        var outcome = Outcome()
        var generator = SeededGenerator(seed: seed)
        var network = network
        let cardRate = Double(serverRate) * (1 + serverError)
        let reach = Double(periodFrames) * Double(streamRate) / Double(serverRate) + 33
        var loop = PlayoutLoop(
            streamRate: streamRate, serverRate: serverRate, delay: buffer + reach / Double(streamRate))
        var (place, position, jumps): (Double?, Double, Int) = (nil, 0, 0)
        var (lost, packet) = (0.0, 0)
        while true {
            let due = position / cardRate + lost
            guard due < seconds else { break }
            let start = due + Double.random(in: wakeup, using: &generator)
            while sent(Double((packet + 1) * packetFrames)) <= start {
                network.take(packet, at: sent(Double((packet + 1) * packetFrames)), &generator)
                packet += 1
            }
            for arrival in network.give(until: start) {
                _ = loop.arrive(arrival.packet * packetFrames, at: local(arrival.time))
            }
            if let read = place ?? loop.place(at: local(start))?.rounded() {
                let jump = loop.read(
                    PlayoutLoop.Block(time: local(start), position: position, streamFrame: read, jumps: jumps))
                if jump != 0 {
                    (outcome.jumps, outcome.lastJump, jumps) = (outcome.jumps + 1, due, jumps + 1)
                }
                let next = read + Double(jump)
                if next + reach > Double(network.complete * packetFrames), due > 1 { outcome.underruns += 1 }
                note(step: loop.step * cardRate, of: next, at: due, settled, &outcome)
                place = next + loop.step * Double(periodFrames)
            }
            position += Double(periodFrames)
            if let lostTime, due > lostTime.at { lost = lostTime.seconds }
        }
        outcome.drift = loop.driftPartsPerMillion
        return outcome
    }

    private func note(step: Double, of place: Double, at due: Double, _ settled: Double, _ outcome: inout Outcome) {
        let present = change.map { due > $0.at ? $0.error : senderError } ?? senderError
        let pitch = abs(step / (Double(streamRate) * (1 + present)) - 1) * 1e6
        if pitch > 1 { outcome.lastOff = due }
        guard due > settled else { return }
        outcome.pitchError = max(outcome.pitchError, pitch)
        let delay = due - sent(place)
        outcome.delay = (min(outcome.delay.least, delay), max(outcome.delay.most, delay))
    }
}

/// What lies between a sender and a receiver that are simulated.
struct SimulatedNetwork {
    /// Its delay in seconds, evenly spread.
    var transit = 0.0005...0.0015
    /// Whether packets overtake each other.
    var overtakes = false
    /// Every so many seconds it keeps all packets for so long, and hands them over at once.
    var hold: (every: Double, seconds: Double)?

    /// How many packets have arrived without a hole before them.
    private(set) var complete = 0
    private var arrived = Set<Int>()
    private var waiting: [(time: Double, packet: Int)] = []
    private var last = 0.0

    init() {}

    mutating func take(_ packet: Int, at time: Double, _ generator: inout SeededGenerator) {
        var time = time + Double.random(in: transit, using: &generator)
        if let hold, time > 1 {
            let phase = time.truncatingRemainder(dividingBy: hold.every)
            if phase < hold.seconds { time += hold.seconds - phase }
        }
        if !overtakes { time = max(time, last) }
        last = time
        let place = waiting.lastIndex { $0.time <= time }.map { $0 + 1 } ?? 0
        waiting.insert((time, packet), at: place)
    }

    mutating func give(until time: Double) -> ArraySlice<(time: Double, packet: Int)> {
        let given = waiting.prefix { $0.time <= time }
        waiting.removeFirst(given.count)
        for arrival in given { arrived.insert(arrival.packet) }
        while arrived.remove(complete) != nil { complete += 1 }
        return given
    }
}

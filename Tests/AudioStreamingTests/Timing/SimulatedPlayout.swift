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
    var packetFrames = 480
    var periodFrames = 1024
    /// The network's delay in seconds, evenly spread.
    var transit = 0.0005...0.0015
    /// How late callbacks begin, in seconds, evenly spread.
    var wakeup = 0.0...0.0001
    /// What the buffer is to hold beyond a period and the filter, in seconds.
    var buffer = 0.005
    /// When the server loses time, and how much, in seconds.
    var lostTime: (at: Double, seconds: Double)?

    struct Outcome {
        var underruns = 0
        var jumps = 0
        /// From `settled` on, in millionths.
        var pitchError = 0.0
        /// Of the delay behind the first frame that was sent, in seconds, from `settled` on.
        var delay = (least: Double.infinity, most: -Double.infinity)
        var drift: Double?
        var largestCorrection = 0.0
    }

    /// - Parameter settled: when pitch and delay begin to count, in seconds.
    func run(seconds: Double, settled: Double, seed: UInt64 = 3) -> Outcome {
        var generator = SeededGenerator(seed: seed)
        var outcome = Outcome()
        let senderRate = Double(streamRate) * (1 + senderError)
        let cardRate = Double(serverRate) * (1 + serverError)
        let reach = Double(periodFrames) * Double(streamRate) / Double(serverRate) + 33
        var loop = PlayoutLoop(
            streamRate: streamRate, serverRate: serverRate, delay: buffer + reach / Double(streamRate))
        var (packet, arrived, place, position, jumps) = (0, 0, 0.0, 0.0, 0)
        var (lost, hasLost) = (0.0, false)
        var nextArrival = Double(packetFrames) / senderRate + Double.random(in: transit, using: &generator)
        var hasBegun = false
        while true {
            let due = position / cardRate + lost
            guard due < seconds else { break }
            let start = due + Double.random(in: wakeup, using: &generator)
            while nextArrival <= start {
                _ = loop.arrive(packet * packetFrames, at: nextArrival)
                packet += 1
                arrived = packet * packetFrames
                // Packets do not overtake each other here.
                let sent = Double((packet + 1) * packetFrames) / senderRate
                nextArrival = max(nextArrival, sent + Double.random(in: transit, using: &generator))
            }
            if !hasBegun, let first = loop.place(at: start) {
                place = first.rounded()
                hasBegun = true
            }
            if hasBegun {
                let block = PlayoutLoop.Block(time: start, position: position, streamFrame: place, jumps: jumps)
                let jump = loop.read(block)
                if jump != 0 {
                    outcome.jumps += 1
                    jumps += 1
                    place += Double(jump)
                }
                if place + reach > Double(arrived), due > 1 { outcome.underruns += 1 }
                if due > settled {
                    let pitch = (loop.step * cardRate / senderRate - 1) * 1e6
                    outcome.pitchError = max(outcome.pitchError, abs(pitch))
                    let delay = due - place / senderRate
                    outcome.delay = (min(outcome.delay.least, delay), max(outcome.delay.most, delay))
                }
                place += loop.step * Double(periodFrames)
            }
            position += Double(periodFrames)
            if let lostTime, !hasLost, due > lostTime.at {
                lost += lostTime.seconds
                hasLost = true
            }
        }
        outcome.drift = loop.driftPartsPerMillion
        return outcome
    }
}

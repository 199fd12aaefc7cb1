import AudioFigures
import AudioIO
import Jack

// What can be told of the queues before anything is made.
extension MeasurementRun.Configuration {
    /// Whether the queues can be measured on a server.
    ///
    /// - Throws: `invalidConfiguration`: where no server has such a period, and where a queue's latency is so long that a probe
    ///   would take it for a shorter one.
    package func check(on facts: ServerFacts) throws(UnitError) {
        try UnitConfiguration.check(facts.periodFrames, Client.periods, "a period in frames")
        let most = ProbeSignal.lengths.upperBound
        for queue in queues {
            try queue.check(sampleRate: facts.sampleRate, periodFrames: facts.periodFrames)
            guard !hasProbe || longestDelayFrames(of: queue, on: facts) <= most else {
                throw .invalidConfiguration(
                    "the latency of \(queue.bufferCount) buffers of \(queue.bufferFrames) frames cannot be measured: with one "
                        + "buffer and two periods more it is beyond \(most) frames; use fewer or shorter buffers")
            }
        }
    }

    /// The longest way from the probe's output to one of its inputs, in frames.
    func longestDelayFrames(on facts: ServerFacts) -> Int {
        (queues.map { longestDelayFrames(of: $0, on: facts) }.max() ?? 2 * facts.periodFrames) + effectFrames
    }

    /// The latency of the effects in a row, as they tell at present.
    package var effectFrames: Int { effects.reduce(0) { $0 + $1.core.driver.latencyFrames } }

    private func longestDelayFrames(of queue: QueueConfiguration, on facts: ServerFacts) -> Int {
        queue.latencyFrames + queue.bufferFrames + 2 * facts.periodFrames
    }
}

/// A plug-in of a run, a measurement or a conversion.
package struct PluginReport: Sendable, Equatable, Codable {
    /// It tells another latency than before.
    package struct LatencyChange: Sendable, Equatable, Codable {
        /// A report has no more of them for each plug-in.
        package static let most = 100

        /// Of its input, where the block begins since which it tells it.
        package var frame: Int
        package var latencyFrames: Int

        package init(frame: Int, latencyFrames: Int) { (self.frame, self.latencyFrames) = (frame, latencyFrames) }
    }

    package var uri: String
    package var name: String
    package var setting: String
    package var instances: Int
    package var latencyFrames: Int
    package var latencyChanges: [LatencyChange]
    package var nonFiniteSamples: UInt64
    package var lostMessages: UInt64
    package var longestRunMilliseconds: Double
    package var longestRunShare: Double
    package var timesLate: Int
    /// In sentences.
    package var refusals: [String]

    package init(
        uri: String, name: String, setting: String, instances: Int, latencyFrames: Int,
        latencyChanges: [LatencyChange], nonFiniteSamples: UInt64, lostMessages: UInt64,
        longestRunMilliseconds: Double, longestRunShare: Double, timesLate: Int, refusals: [String]
    ) {
        (self.uri, self.name, self.setting, self.instances) = (uri, name, setting, instances)
        (self.latencyFrames, self.latencyChanges) = (latencyFrames, latencyChanges)
        (self.nonFiniteSamples, self.lostMessages) = (nonFiniteSamples, lostMessages)
        (self.longestRunMilliseconds, self.longestRunShare) = (longestRunMilliseconds, longestRunShare)
        (self.timesLate, self.refusals) = (timesLate, refusals)
    }

    /// Whether a run can have told it: a log may come from anywhere.
    package var isPossible: Bool {
        let times = [longestRunMilliseconds, longestRunShare]
        let counts = [instances, latencyFrames, timesLate] + latencyChanges.flatMap { [$0.frame, $0.latencyFrames] }
        return times.allSatisfy { 0...1e9 ~= $0 } && counts.allSatisfy { 0...1 << 53 ~= $0 }
            && nonFiniteSamples <= 1 << 53 && lostMessages <= 1 << 53 && latencyChanges.count <= LatencyChange.most
    }
}

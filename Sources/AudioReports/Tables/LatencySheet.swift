/// The figures of a latency, name and content: what its table and its page are made from.
struct LatencySheet {
    let figures: [(name: String, text: String)]

    init(_ report: LatencyReport) {
        var figures: [(String, String)] = []
        if let trip = report.roundTrip.value {
            figures += [
                ("latency", "\(fixed(trip.frames, 3)) frames = \(fixed(trip.milliseconds, 4)) ms"),
                ("error at most", "\(fixed(trip.shownErrorFrames, 3)) frames, in 99 of 100 measurements"),
            ]
        }
        if let declared = report.declaredFrames.value {
            figures.append(("declared", "\(AudioReports.frames(Double(declared))) by the ports"))
        }
        if let extra = report.extraFrames.value {
            figures.append(("extra", "\(fixed(abs(extra), 3)) frames \(extra < 0 ? "less" : "more") than declared"))
        }
        if let trip = report.roundTrip.value {
            figures += [
                ("polarity", trip.polarity == .inverted ? "inverted: it comes back upside down" : "normal"),
                ("level", "\(fixed(trip.levelDecibels, 2)) dB against what was sent"),
                ("signal to noise", "\(fixed(trip.signalToNoiseDecibels, 1)) dB"),
            ]
        }
        if let peak = report.peakDecibels.value {
            let clipped = report.isClipped ? ", clipped" : ""
            figures.append(("peak heard", "\(fixed(peak, 1)) dB of full scale\(clipped)"))
        }
        let longest = duration(Double(report.longestFrames) / Double(max(1, report.server.sampleRate)) * 1e9)
        figures += [
            ("rounds heard", "\(report.blocks), and \(report.discarded) left out"),
            ("longest", "\(longest): a latency of as much or more is taken for a shorter one"),
        ]
        self.figures = figures
    }

    /// Where the signal goes.
    static func path(_ report: LatencyReport) -> [(name: String, text: String)] {
        [("sent to", shown(report.send)), ("heard at", shown(report.return))]
    }

    /// Limits and what was held against them. An expectation can be missed on either side.
    static func limits(_ report: LatencyReport) -> [(isMet: Bool, outcome: String, limit: String, value: String)] {
        report.limits.map { result in
            let value = result.measured.value.map { fixed($0, 3) + result.unitAfterSpace } ?? "not measured"
            return (result.isMet, result.isMet ? "met" : "NOT MET", shown(result.limit), value)
        }
    }
}

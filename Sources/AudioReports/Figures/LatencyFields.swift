import AudioFigures

import func Glibc.log10

extension LatencyReport: MeasurementReport, Encodable {
    package static let fields: [ReportField<Self>] = head + own + facts

    /// What no other measurement has.
    static let own: [ReportField<Self>] = path + finding + hearing

    /// The object of `--json`. Every key is there in every report: what was not measured is `null`.
    public func encode(to encoder: any Encoder) throws { try write(to: encoder) }

    private static let path: [ReportField<Self>] = [
        .field("send", "the port that the signal was sent to", \.send),
        .field("return", "the port that it was heard at", \.return),
    ]

    private static let finding: [ReportField<Self>] = [
        .field(
            "outcome",
            "measured; absent: nothing of the signal was heard; ambiguous: on several paths; moving: changing from round to round; tooShort; disturbed: by others",
            \.outcome),
        .field("latency", "null unless outcome is measured", \.latency),
        .field("declared", "what the ports declare; null on a self-loop, and where they are not connected", \.declared)
            .words("declared") { $0.declared.value.map { "\($0.framesInWords) by the ports" } }
            .words("made of") { $0.declared.value?.partsInWords },
        .field(
            "extraFrames",
            "how much more than declared was measured, 0 within its range, null where one is; a limit holds either way",
            unit: .frames, \.extraFrames
        )
        .limit("extra", isOfMagnitude: true)
        .words("extra") { report in
            report.extraFrames.value.map {
                abs($0) < 0.0005
                    ? "none: as declared" : "\(fixed(abs($0), 3)) frames \($0 < 0 ? "less" : "more") than declared"
            }
        },
    ]

    private static let hearing: [ReportField<Self>] = [
        .field(
            "heardDecibels", "of full scale, where outcome is absent: how loud that was; null for silence",
            unit: .decibels, \.heardDecibels),
        .field(
            "peakDecibels", "of full scale, the greatest sample heard; from 0 on it is clipped; null for silence",
            unit: .decibels, \.peakDecibels
        )
        .words("peak heard") { report in
            report.peakDecibels.value.map { "\(fixed($0, 1)) dB of full scale\(report.isClipped ? ", clipped" : "")" }
        },
        .field(
            "candidateFrames", "the delays between which it is ambiguous, or moved", unit: .frames, \.candidateFrames),
        .field("blocks", "rounds of the signal that were heard", \.blocks)
            .words("rounds heard") { "\($0.blocks), and \($0.discarded) left out" },
        .field(
            "discarded",
            "rounds that were left out: a gap of the frame clock, a foreign or lost connection, a sample that is no number",
            \.discarded
        ).limit("discarded"),
        .field(
            "restarts", "times that it began again: the server had changed its period or its sample rate", \.restarts),
        .group("foreignConnections", \.foreignConnections)
            .words("foreign") { $0.foreignConnections.isEmpty ? nil : $0.foreignList },
        .field(
            "lostConnections", "connections of the path that were taken away meanwhile, as source → target",
            \.lostConnections
        )
        .words("taken away") { $0.lostConnections.isEmpty ? nil : $0.lostList },
        .field("heardSeconds", "how long the server has run the measurement", unit: .seconds, \.heardSeconds),
        .field(
            "longestFrames", "length of a round: a latency of as much is taken for none", unit: .frames,
            \.longestFrames
        )
        .words("longest") {
            let time = Double($0.longestFrames) / Double(max(1, $0.server.sampleRate)) * 1e9
            return "\(duration(time)): a latency of as much or more is taken for a shorter one"
        },
        .field("expected", "--expect as it was given; null without it", \.expected),
    ]
}

extension LatencyReport.RoundTrip: Reported {
    package static let fields: [ReportField<Self>] = [
        .field("frames", "from sending to hearing, by the server's frame clock", unit: .frames, \.frames)
            .limit("latency")
            .words("latency") { "\(fixed($0.frames, 3)) frames = \(fixed($0.milliseconds, 4)) ms" },
        .field("milliseconds", "the same", unit: .milliseconds, \.milliseconds),
        .field(
            "errorFrames", "the latency is off by less in 99 of 100 measurements", unit: .frames, \.errorFrames
        )
        .limit("latency.error")
        .words("latency error") { "at most \(fixed($0.shownErrorFrames, 3)) frames, in 99 of 100 measurements" },
        .field("polarity", "normal or inverted", \.polarity)
            .words("polarity") { $0.polarity == .inverted ? "inverted: it comes back upside down" : "normal" },
        .field(
            "levelDecibels", "how much louder the signal came back than it was sent; 0 for a wire", unit: .decibels,
            \.levelDecibels
        ).words("level") { "\(fixed($0.levelDecibels, 2)) dB against what was sent" },
        .field(
            "signalToNoiseDecibels", "its power over that of all else in its band, at most 140", unit: .decibels,
            \.signalToNoiseDecibels
        ).words("signal to noise") { "\(fixed($0.signalToNoiseDecibels, 1)) dB" },
        .field(
            "falseAlarmProbability",
            "that such a peak is chance, from rounds shifted against each other; 1e-15 or more, none told above 1e-6",
            \.falseAlarmProbability
        )
        .words("false alarm") {
            let rarity = -log10($0.falseAlarmProbability)
            return "\(rarity >= 15 ? "less than " : "")1 in 10^\(fixed(rarity, 0))"
        },
    ]
}

extension DeclaredLatency: Reported {
    package static let fields: [ReportField<Self>] = [
        .field("minFrames", "the sum of the parts that are counted", unit: .frames, \.minFrames),
        .field("maxFrames", "the same; more, where ports leave open what it is", unit: .frames, \.maxFrames),
        .group("parts", \.parts),
        .field(
            "otherConnections", "ports beside the path that feed it: ranges after them span these as well",
            \.otherConnections),
    ]
}

extension DeclaredLatency.Part: Reported {
    package static let fields: [ReportField<Self>] = [
        .field("port", "whose latency it is", \.port),
        .field(
            "kind", "capture: before the port; playback: after it; own: what the port's client adds", \.kind),
        .field("minFrames", "the least that JACK knows of it", unit: .frames, \.minFrames),
        .field("maxFrames", "the most", unit: .frames, \.maxFrames),
        .field("isCounted", "whether it is on the measured path", \.isCounted),
    ]
}

extension ForeignConnection: Reported {
    package static let fields: [ReportField<Self>] = [
        .field("port", "the probe's port that another client connected: it was disconnected", \.port),
        .field("other", "the port that it was connected to; empty where that is gone", \.other),
        .field("times", "how often", \.times),
    ]
}

import AudioFigures

extension FigureTable {
    /// What the report of `iounit latency` has, and no other.
    package static let latency = [
        Figure("send", "the port that the signal was sent to"),
        Figure("return", "the port that it was heard at"),
        Figure("outcome", "measured; absent: nothing of the signal was heard; ambiguous: on several paths; tooShort"),
        Figure("roundTrip", "null unless outcome is measured"),
        Figure("roundTrip.frames", "from sending to hearing, by the server's frame clock", .frames)
            .limit("latency").ofLatency(\.roundTrip.value?.frames)
            .row("latency") { report in
                report.roundTrip.value.map { "\(fixed($0.frames, 3)) frames = \(fixed($0.milliseconds, 4)) ms" }
            },
        Figure("roundTrip.milliseconds", "the same", .milliseconds),
        Figure("roundTrip.errorFrames", "the latency is off by less in 99 of 100 measurements", .frames)
            .limit("error").ofLatency(\.roundTrip.value?.errorFrames)
            .row("error at most") { report in
                report.roundTrip.value.map { "\(fixed($0.shownErrorFrames, 3)) frames, in 99 of 100 measurements" }
            },
        Figure(
            "declaredFrames", "what the ports declare; null on a self-loop, and where they are not connected", .frames
        )
        .row("declared") { report in report.declaredFrames.value.map { "\(frames(Double($0))) by the ports" } },
        Figure(
            "extraFrames", "how much more than declared was measured, null where one is; a limit holds either way",
            .frames
        )
        .limit("extra").ofLatency { $0.extraFrames.value.map(abs) }
        .row("extra") { report in
            report.extraFrames.value.map { "\(fixed(abs($0), 3)) frames \($0 < 0 ? "less" : "more") than declared" }
        },
        Figure("roundTrip.polarity", "normal or inverted")
            .row("polarity") { report in
                report.roundTrip.value.map {
                    $0.polarity == .inverted ? "inverted: it comes back upside down" : "normal"
                }
            },
        Figure(
            "roundTrip.levelDecibels", "how much louder the signal came back than it was sent; 0 for a wire", .decibels
        )
        .row("level") { $0.roundTrip.value.map { "\(fixed($0.levelDecibels, 2)) dB against what was sent" } },
        Figure("roundTrip.signalToNoiseDecibels", "its power over that of all else in its band, at most 140", .decibels)
            .row("signal to noise") { $0.roundTrip.value.map { "\(fixed($0.signalToNoiseDecibels, 1)) dB" } },
        Figure(
            "heardDecibels", "of full scale, where outcome is absent: how loud that was; null for silence", .decibels),
        Figure(
            "peakDecibels", "of full scale, the greatest sample heard; from 0 on it is clipped; null for silence",
            .decibels
        ).row("peak heard") { report in
            report.peakDecibels.value.map { "\(fixed($0, 1)) dB of full scale\(report.isClipped ? ", clipped" : "")" }
        },
        Figure("candidateFrames[]", "the delays between which it is ambiguous", .frames),
        Figure("blocks", "rounds of the signal that were heard")
            .row("rounds heard") { "\($0.blocks), and \($0.discarded) left out" },
        Figure("discarded", "rounds that were left out: the frame clock had a gap, or a sample was no number")
            .limit("discarded").ofLatency { Double($0.discarded) },
        Figure("restarts", "times that it began again: the server had changed its period or its sample rate"),
        Figure("longestFrames", "length of a round: a latency of as much is taken for none", .frames)
            .row("longest") {
                let time = Double($0.longestFrames) / Double(max(1, $0.server.sampleRate)) * 1e9
                return "\(duration(time)): a latency of as much or more is taken for a shorter one"
            },
        Figure("expected", "--expect as it was given; null without it"),
    ]
}

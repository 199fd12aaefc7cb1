import AudioFigures
import func Glibc.log10

extension FigureTable {
    /// What the report of `iounit latency` has, and no other.
    package static let latency = [
        Figure("send", "the port that the signal was sent to").of(.text),
        Figure("return", "the port that it was heard at").of(.text),
        Figure(
            "outcome",
            "measured; absent: nothing of the signal was heard; ambiguous: on several paths; moving: changing from round to round; tooShort; disturbed: by others"
        )
        .of(.choice(["measured", "absent", "ambiguous", "moving", "tooShort", "disturbed"])),
        Figure("latency", "null unless outcome is measured").orNull,
        Figure("latency.frames", "from sending to hearing, by the server's frame clock", .frames)
            .limit("latency").ofLatency(\.latency.value?.frames)
            .row("latency") { report in
                report.latency.value.map { "\(fixed($0.frames, 3)) frames = \(fixed($0.milliseconds, 4)) ms" }
            },
        Figure("latency.milliseconds", "the same", .milliseconds),
        Figure("latency.errorFrames", "the latency is off by less in 99 of 100 measurements", .frames)
            .limit("latency.error").ofLatency(\.latency.value?.errorFrames)
            .row("latency error") { report in
                report.latency.value.map {
                    "at most \(fixed($0.shownErrorFrames, 3)) frames, in 99 of 100 measurements"
                }
            },
        Figure("declared", "what the ports declare; null on a self-loop, and where they are not connected").orNull
            .row("declared") { report in report.declared.value.map { "\($0.framesInWords) by the ports" } },
        Figure("declared.minFrames", "the sum of the parts that are counted", .frames),
        Figure("declared.maxFrames", "the same; more, where ports leave open what it is", .frames),
        Figure("declared.parts[].port", "whose latency it is").of(.text)
            .row("made of") { report in report.declared.value?.partsInWords },
        Figure(
            "declared.parts[].kind", "capture: before the port; playback: behind it; own: what the port's client adds"
        ).of(.choice(["capture", "playback", "own"])),
        Figure("declared.parts[].minFrames", "the least that JACK knows of it", .frames),
        Figure("declared.parts[].maxFrames", "the most", .frames),
        Figure("declared.parts[].isCounted", "whether it is on the measured path").of(.flag),
        Figure(
            "declared.otherConnections[]", "ports beside the path that feed it: ranges behind them span these as well"
        ).of(.text),
        Figure(
            "extraFrames",
            "how much more than declared was measured, 0 within its range, null where one is; a limit holds either way",
            .frames
        ).orNull
            .limit("extra").ofLatency { $0.extraFrames.value.map(abs) }
            .row("extra") { report in
                report.extraFrames.value.map {
                    abs($0) < 0.0005
                        ? "none: as declared" : "\(fixed(abs($0), 3)) frames \($0 < 0 ? "less" : "more") than declared"
                }
            },
        Figure("latency.polarity", "normal or inverted").of(.choice(["normal", "inverted"]))
            .row("polarity") { report in
                report.latency.value.map {
                    $0.polarity == .inverted ? "inverted: it comes back upside down" : "normal"
                }
            },
        Figure(
            "latency.levelDecibels", "how much louder the signal came back than it was sent; 0 for a wire", .decibels
        )
        .row("level") { $0.latency.value.map { "\(fixed($0.levelDecibels, 2)) dB against what was sent" } },
        Figure("latency.signalToNoiseDecibels", "its power over that of all else in its band, at most 140", .decibels)
            .row("signal to noise") { $0.latency.value.map { "\(fixed($0.signalToNoiseDecibels, 1)) dB" } },
        Figure(
            "latency.falseAlarmProbability",
            "that such a peak is chance, from rounds shifted against each other; 1e-15 or more, none told above 1e-6"
        ).of(.number)
            .row("false alarm") { report in
                report.latency.value.map { trip in
                    let rarity = -log10(trip.falseAlarmProbability)
                    return "\(rarity >= 15 ? "less than " : "")1 in 10^\(fixed(rarity, 0))"
                }
            },
        Figure(
            "heardDecibels", "of full scale, where outcome is absent: how loud that was; null for silence", .decibels
        ).orNull,
        Figure(
            "peakDecibels", "of full scale, the greatest sample heard; from 0 on it is clipped; null for silence",
            .decibels
        ).orNull.row("peak heard") { report in
            report.peakDecibels.value.map { "\(fixed($0, 1)) dB of full scale\(report.isClipped ? ", clipped" : "")" }
        },
        Figure("candidateFrames[]", "the delays between which it is ambiguous, or moved", .frames),
        Figure("blocks", "rounds of the signal that were heard")
            .row("rounds heard") { "\($0.blocks), and \($0.discarded) left out" },
        Figure(
            "discarded",
            "rounds that were left out: a gap of the frame clock, a foreign connection, a sample that is no number"
        )
        .limit("discarded").ofLatency { Double($0.discarded) },
        Figure("restarts", "times that it began again: the server had changed its period or its sample rate"),
        Figure("foreignConnections[].port", "the probe's port that another client connected: it was disconnected")
            .of(.text)
            .row("foreign") { $0.foreignConnections.isEmpty ? nil : $0.foreignList },
        Figure("foreignConnections[].other", "the port that it was connected to; empty where that is gone").of(.text),
        Figure("foreignConnections[].times", "how often"),
        Figure("longestFrames", "length of a round: a latency of as much is taken for none", .frames)
            .row("longest") {
                let time = Double($0.longestFrames) / Double(max(1, $0.server.sampleRate)) * 1e9
                return "\(duration(time)): a latency of as much or more is taken for a shorter one"
            },
        Figure("expected", "--expect as it was given; null without it").of(.text).orNull,
    ]
}

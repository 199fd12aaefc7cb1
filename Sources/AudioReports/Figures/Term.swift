import AudioFigures

/// What some figures mean, for someone who has never read about jitter.
struct Term: Sendable {
    let name: String
    let explanation: String
    /// Whether the report has something of it.
    let isNeeded: @Sendable (Report) -> Bool

    init(_ name: String, _ explanation: String, isNeeded: @escaping @Sendable (Report) -> Bool = { _ in true }) {
        (self.name, self.explanation, self.isNeeded) = (name, explanation, isNeeded)
    }
}

extension Term {
    static let interval = Term(
        "Period, cycle, interval",
        "JACK asks for sound one period at a time, so many frames at once. Each time is a cycle, and in each cycle "
            + "the callback has to deliver. The interval is the time from the start of one callback to the start of the "
            + "next. Nominally it is as long as its frames last: 64 frames at 48000 Hz are 1.333 ms.")

    static let deviation = Term(
        "Deviation, or jitter",
        "How far an interval was from nominal, early or late. A start that is late by 0.1 ms makes one interval "
            + "0.1 ms too long and the next one as much too short. Jitter does no harm as long as each callback still ends "
            + "within its period: it eats up the time that is left for work. A tenth of the period at p99 is good; half "
            + "of it is little to live with.")

    static let percentile = Term(
        "p50, p99, p999",
        "Percentiles. Half of the intervals deviate by at most the p50, 99 of 100 by at most the p99, 999 of 1000 by "
            + "at most the p999, the percentile 99.9. With 64 frames at 48000 Hz there are 750 intervals a second, so that what lies beyond "
            + "p999 still happens every one to two seconds: for sound, the rare ones count. A percentile that a run is "
            + "too short for is not shown.")

    static let callback = Term(
        "Callback time, load, overrun",
        "How long the callback took, and which share of its interval that is. Beyond 100 % it is an overrun: whatever "
            + "the server does, that sound came too late. Less than 50 % at the most leaves room for other clients.")

    static let lost = Term(
        "Lost time",
        "Time for which no sound was rendered. There are three ways to see it, because none sees all: frames that "
            + "JACK's frame clock skipped (it skips none in synchronous mode), wall time that the frame clock does not account "
            + "for (right in both modes), and intervals beyond 1.5 periods. Good is 0 in all three.")

    static let xrun = Term(
        "Xrun",
        "A cycle that JACK itself reports as late. It names a delay with it, which is right in synchronous mode and "
            + "near 0 in asynchronous mode. An xrun is not always heard, and loss that is heard is not always an xrun.")

    static let blame = Term(
        "Blame",
        "Who made a late callback late. A second client without inputs, the sentinel, starts with the cycle. If it was "
            + "late as well, the graph was woken late: by the driver, the server or the scheduler. If it was in time, a client "
            + "before us kept us waiting, or our own callback before had run too long. Where the records do not tell, the answer "
            + "is unknown.",
        isNeeded: { $0.modes.contains { $0.blame.value != nil } })

    static let latency = Term(
        "Latency through the mode",
        "How many frames later a sound leaves the unit than it came in: measured with a probe signal in the same run, "
            + "with the error that the measurement admits, and beside it what the unit's ports declare to other programs. "
            + "The two should agree. In callback mode it is 0, as sound leaves in the cycle that it came in. What the card "
            + "and its driver add is the same in all modes and not part of it.")

    static let queue = Term(
        "Queued mode, dropped and inserted frames",
        "Here the audio thread fills buffers of a length of their own, and calls a worker back when one is full. That "
            + "gives the worker time, and costs the latency of all buffers. The audio thread can only see that a buffer is full at "
            + "the end of a period, so that the worker is called at multiples of the period: with buffers that are no "
            + "multiple of it, some intervals are a whole period longer than others even on a perfect machine: that part of the "
            + "deviation is called arithmetic, and the rest timing. Where no buffer "
            + "was free, input was dropped; where none was ready, silence was inserted. Both are heard; good is 0.",
        isNeeded: { $0.modes.contains { $0.mode == .queued } })

    static let cost = Term(
        "CPU per callback, and the processor",
        "Processor time of the mode's threads for each callback, libjack's part of the cycle included. A thread gives "
            + "the processor up whenever it waits, about once a cycle. Where it lost it, something more urgent ran: with "
            + "real-time scheduling that should be near 0.")

    static let records = Term(
        "Lost records",
        "Callbacks whose record found no room on its way out of the audio thread. The figures know nothing of them.")

    static let timer = Term(
        "Timer",
        "A thread that does nothing but sleep until its next period, at the same period and priority and at the same time. "
            + "Its deviation is what the kernel costs; what the callback has beyond it is JACK's and the graph's.",
        isNeeded: { $0.baseline.value != nil })

    static let dummy = Term(
        "What the dummy backend can and cannot show",
        "This server ran without a sound card: its dummy backend keeps time by sleeping. It shows how steadily this machine "
            + "wakes and schedules audio threads, what a queue adds, and whether a program gets slower from one version to the "
            + "next. It cannot show the latency and the interrupts of a card, nor the drift of its clock against that of "
            + "the machine; its own sleep adds deviation that a card does not have. Virtual machines stall for milliseconds "
            + "now and then, which appears here as late callbacks and lost time.",
        isNeeded: { $0.server.backend.value == "dummy" })
}

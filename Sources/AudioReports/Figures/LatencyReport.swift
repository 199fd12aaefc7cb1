import AudioFigures

/// What the measurement of a path comes to: the object of `iounit latency --json`, and what its table and page are made
/// from.
public struct LatencyReport: Sendable {
    /// What was found out.
    public enum Outcome: String, Sendable, CaseIterable {
        /// The latency is known.
        case measured
        /// Nothing of the signal was heard.
        case absent
        /// It was heard on several paths.
        case ambiguous
        /// It changed from round to round.
        case moving
        /// The run ended before two whole rounds of the signal had been heard.
        case tooShort
        /// Another client connected something to the probe's ports again and again.
        case disturbed
    }

    /// A path whose latency is known.
    public struct RoundTrip: Sendable, Equatable {
        /// Whether the signal comes back as it was sent, or with its sign turned.
        public enum Polarity: String, Sendable, CaseIterable {
            /// As it was sent; with its sign turned.
            case normal, inverted
        }

        /// With its fraction.
        public var frames: Double
        /// The same at the server's sample rate.
        public var milliseconds: Double
        /// `frames` is off by no more than this.
        public var errorFrames: Double
        /// Of what was heard.
        public var polarity: Polarity
        /// How much louder the signal is heard than it was sent.
        public var levelDecibels: Double
        /// Of the signal that was heard.
        public var signalToNoiseDecibels: Double
        /// Of such a finding in what has nothing to do with the signal; not less than 10⁻¹⁵.
        public var falseAlarmProbability: Double

        /// The error as people read it: an error below the last digit shown is that digit.
        var shownErrorFrames: Double { max(0.001, errorFrames) }
    }

    /// What the client that measures it is called at the server.
    package static let clientName = "iounit-latency"

    /// Of the JSON.
    public let schema = ReportKind.latency.schema
    /// How the run ended.
    public var end = Report.End.done
    /// How long it listened.
    public var seconds: Double
    /// With the period and rate at which it was heard.
    public var server: ServerFacts
    /// The machine.
    public var host: HostFacts
    /// Of the audio thread; `nil` where it is not known.
    public var scheduling: Nullable<SchedulingFacts> = Nullable(nil)
    /// What made it; `nil` where that is not known.
    public var provenance: Nullable<Provenance> = Nullable(nil)
    /// Where the signal was sent to, and what was heard: full names of ports.
    public var send: String
    /// The output port that was heard.
    public var `return`: String
    /// What was found out.
    public var outcome: Outcome
    /// `nil` unless it was measured.
    public var latency: Nullable<RoundTrip> = Nullable(nil)
    /// How loud that was in which nothing of the signal was found, in decibels of full scale.
    public var heardDecibels: Nullable<Double> = Nullable(nil)
    /// The greatest sample that was heard, in decibels of full scale; `nil` for digital silence.
    public var peakDecibels: Nullable<Double>
    /// The delays between which it is ambiguous, or between which it moved.
    public var candidateFrames: [Double] = []
    /// Rounds of the signal that the finding is made of, and how many were left out.
    public var blocks: Int
    /// Rounds that were left out.
    public var discarded: Int
    /// How often the measurement began again, because the server had changed its period or its sample rate: what was heard
    /// before is not in the finding.
    public var restarts: Int
    /// What other clients connected to the probe's ports meanwhile: it was disconnected, and is not in the finding.
    public var foreignConnections: [ForeignConnection]
    /// Connections of the path that were taken away meanwhile, as `source → target`: what was heard without them is left out.
    public var lostConnections: [String]
    /// How long the server has run the probe, in seconds: far less than `seconds` where a client on the path holds it up.
    public var heardSeconds: Double
    /// Length of a round: a delay of as much or more is taken for a shorter one.
    public var longestFrames: Int
    /// What the ports on the path declare.
    public var declared: Nullable<DeclaredLatency>
    /// How much more than declared the latency is; 0 where it is within what the ports declare.
    public var extraFrames: Nullable<Double> = Nullable(nil)
    /// What it was expected to be, as it was given.
    public var expected: Nullable<String>
    /// In the order in which they were given.
    public var limits: [LimitResult] = []
    /// One sentence: what it means.
    public var verdict = ""

    /// - Parameters:
    ///   - finding: `nil` where there was not enough to find anything in.
    ///   - server: with the period and the rate at which that was heard.
    ///   - heardSeconds: `nil` for as long as it lasted.
    ///   - isContested: whether other clients made their connections again and again, so that nothing was found.
    public init(
        finding: LatencyFinding?, end: Report.End, seconds: Double, server: ServerFacts, host: HostFacts, send: String,
        return: String, blocks: Int, discarded: Int, restarts: Int, peakDecibels: Double?, longestFrames: Int,
        declared: DeclaredLatency?, expected: String?, foreignConnections: [ForeignConnection] = [],
        lostConnections: [String] = [], heardSeconds: Double? = nil, isContested: Bool = false
    ) {
        self.end = end
        self.seconds = seconds
        self.server = server
        self.host = host
        self.send = send
        self.return = `return`
        self.blocks = blocks
        self.discarded = discarded
        self.restarts = restarts
        self.peakDecibels = Nullable(peakDecibels)
        self.longestFrames = longestFrames
        self.foreignConnections = foreignConnections
        self.lostConnections = lostConnections
        self.heardSeconds = heardSeconds ?? seconds
        self.declared = Nullable(declared)
        self.expected = Nullable(expected)
        switch finding {
        case .measured(let estimate):
            outcome = .measured
            latency = Nullable(
                RoundTrip(
                    frames: estimate.frames, milliseconds: estimate.frames / Double(server.sampleRate) * 1000,
                    errorFrames: estimate.errorFrames, polarity: estimate.isInverted ? .inverted : .normal,
                    levelDecibels: estimate.levelDecibels, signalToNoiseDecibels: estimate.signalToNoiseDecibels,
                    falseAlarmProbability: estimate.falseAlarmProbability))
            extraFrames = Nullable(declared.map { $0.extraFrames(estimate.frames) })
        case .absent(let heard):
            outcome = .absent
            heardDecibels = Nullable(heard)
        case .ambiguous(let frames):
            outcome = .ambiguous
            candidateFrames = frames
        case .moving(let frames):
            outcome = .moving
            candidateFrames = [frames.lowerBound, frames.upperBound]
        case nil:
            outcome = isContested ? .disturbed : .tooShort
        }
        verdict = sentence
    }

    /// What was found, in one sentence.
    private var sentence: String { words + restart + foreign + lost + "." }

    /// Whether the run came to its end.
    public var isComplete: Bool { end == .done }

    /// Whether the ports declare another latency than was measured; `nil` where one of the two is not known.
    public var isMismatched: Bool? {
        guard let extra = extraFrames.value, let trip = latency.value else { return nil }
        // They declare whole frames.
        return abs(extra) > max(0.5, trip.errorFrames)
    }

    private var words: String {
        switch outcome {
        case .measured:
            guard let trip = latency.value else { return "" }
            let inverted = trip.polarity == .inverted ? "; the signal comes back upside down" : ""
            return "The latency is \(fixed(trip.frames, 3)) frames = \(fixed(trip.milliseconds, 3)) ms"
                + " (± \(fixed(trip.shownErrorFrames, 3)) frames)\(declaration)\(inverted)\(clipping)"
        case .absent:
            let heard = heardDecibels.value.map { "only something else, at \(fixed($0, 1)) dB" } ?? "only silence"
            return "Nothing of the signal was heard, \(heard): look at the cable, the levels and the ports"
                + (heardDecibels.value == nil ? "" : ", or listen longer where it is weak")
        case .ambiguous:
            let delays = candidateFrames.map { fixed($0, 1) }.joined(separator: " and ")
            return
                "The signal was heard on several paths of about the same strength, after \(delays) frames: leave only"
                + " one of them, as by turning the direct monitoring of the card off"
        case .moving:
            let places = candidateFrames.map { fixed($0, 1) }.joined(separator: " and ")
            return "The latency moved between \(places) frames: measure again when the way has settled, as a resampler"
                + " does some time after its start"
        case .tooShort:
            guard lostConnections.isEmpty else {
                return
                    "Two whole rounds of the signal are needed, and before that \(lostList) was taken away: connect the way"
                    + " again, and measure again"
            }
            guard heardSeconds >= 0.5 * seconds else {
                return
                    "The server has run the measurement for \(fixed(heardSeconds, 1)) s of \(fixed(seconds, 1)) s: see"
                    + " whether the clients on the path process sound, as one that does not holds up what is after it"
            }
            guard discarded > 0 else {
                return "The run ended before two whole rounds of the signal were heard: let it run longer"
            }
            let loss = foreignConnections.isEmpty ? ", as sound was lost in them or was no number" : ""
            return "Two whole rounds of the signal are needed, and of \(counted(blocks + discarded, "round"))"
                + " \(discarded) could not be used\(loss): measure again while nothing stops the server, or let it run longer"
        case .disturbed:
            return "Another client connects \(foreignList) again and again: have it leave the probe's ports alone, as"
                + " by an exception in a session manager or a patchbay"
        }
    }

    private var foreign: String {
        foreignConnections.isEmpty || outcome == .disturbed
            ? ""
            : "; another client connected \(foreignList): it was disconnected, and what was heard meanwhile is left out"
    }

    private var lost: String {
        lostConnections.isEmpty || outcome == .tooShort
            ? "" : "; \(lostList) was taken away meanwhile, and what was heard without it is left out"
    }

    /// What was taken away, the first few of them.
    var lostList: String {
        let more = lostConnections.count > 4 ? " and \(lostConnections.count - 4) more" : ""
        return lostConnections.prefix(4).map(shown).joined(separator: ", ") + more
    }

    /// Who is connected with which of the probe's ports, the first few of them.
    var foreignList: String {
        let list = foreignConnections.map { connection in
            "\(connection.other.isEmpty ? "a port that is gone" : shown(connection.other)) with \(shown(connection.port))"
                + (connection.times == 1 ? "" : " (\(connection.times) times)")
        }
        let more = list.count > 4 ? " and \(list.count - 4) more" : ""
        return list.prefix(4).joined(separator: ", ") + more
    }

    private var restart: String {
        guard restarts > 0 else { return "" }
        let period = frames(Double(server.periodFrames))
        return "; the server changed to \(period) at \(server.sampleRate) Hz meanwhile, and what was heard before is"
            + " left out"
    }

    private var declaration: String {
        guard let declared = declared.value, let extra = extraFrames.value, let isMismatched else { return "" }
        let others = declared.elsewhereInWords.map { "; \($0)" } ?? ""
        guard isMismatched else {
            return declared.frames == nil
                ? ", within the \(declared.framesInWords) that the ports declare\(others)"
                : ", as the ports declare\(others)"
        }
        let difference = "\(fixed(abs(extra), 1)) \(extra < 0 ? "more" : "less")"
        return "; the ports declare \(declared.framesInWords), \(difference) than measured\(others)"
    }

    /// Whether what was heard reaches full scale, where a converter clips it.
    public var isClipped: Bool { (peakDecibels.value ?? -.infinity) >= 0 }

    private var clipping: String { isClipped ? "; what is heard reaches full scale and is clipped: turn it down" : "" }

    /// What is wrong with a run that measured nothing, or a limit that was not met; empty where all is well.
    public var complaints: [String] {
        (outcome == .measured ? [] : [sentence])
            + limits.filter { !$0.isMet }.map { result in
                let value = result.measured.value.map { fixed($0, 3) + result.unitAfterSpace } ?? "nothing measured"
                return "\(shown(result.limit)) was not met: \(value)"
            }
    }

    /// The run without its figures, for what all reports share. That something was measured at all is held against
    /// it like a limit.
    package var head: Report {
        let isMeasured = LimitResult(
            limit: "measured", mode: "latency", measured: latency.value?.frames, unit: "frames",
            isMet: outcome == .measured)
        var report = Report(schema: schema, server: server, host: host)
        report.provenance = provenance
        report.scheduling = scheduling
        report.end = end
        report.seconds = seconds
        report.limits = [isMeasured] + limits
        report.verdict = verdict
        return report
    }
}

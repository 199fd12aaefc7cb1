import AudioIO
import AudioReports
import Threads

/// An event of the engine, in the JSON and in words.
struct EventReport: Reported {
    var wallTime: String
    var monotonicNanoseconds: UInt64
    var event: String
    var from: String?
    var to: String?
    var text: String

    static let fields: [ReportField<Self>] = [
        .field("event", "what happened, as transition or serverLost; the last 1000", \.event),
        .field("from", "the state before a transition; null of other events", \.from),
        .field("to", "the state after it", \.to),
        .field("text", "in words", \.text),
        .field("wallTime", "when, in UTC", \.wallTime),
        .field(
            "monotonicNanoseconds", "when, on the clock that never jumps", unit: .nanoseconds, \.monotonicNanoseconds),
    ]

    init(_ event: EngineEvent) {
        wallTime = WallClock.text(event.wallNanoseconds)
        monotonicNanoseconds = event.monotonicNanoseconds
        text = shown(event.kind.description)
        switch event.kind {
        case .transition(let from, let to):
            self.event = "transition"
            (self.from, self.to) = (from.name, to.name)
        case .serverLost: self.event = "serverLost"
        case .serverAnswers: self.event = "serverAnswers"
        case .rejoined: self.event = "rejoined"
        case .periodChanged: self.event = "periodChanged"
        case .sampleRateChanged: self.event = "sampleRateChanged"
        case .connectionLost: self.event = "connectionLost"
        case .connectionRestored: self.event = "connectionRestored"
        case .routeChanged: self.event = "routeChanged"
        case .trouble: self.event = "trouble"
        case .note: self.event = "note"
        }
    }
}

extension EngineEvent {
    /// Whether people want to be told of it when it happens: not of the run's own beginning and end, to which the server's
    /// belongs where it is not waited for.
    func isNews(_ policy: ReconnectPolicy) -> Bool {
        switch kind {
        case .serverLost: policy.consent != .never
        case .transition(.ready, _), .transition(_, .closed), .transition(_, .failed): false
        default: true
        }
    }
}

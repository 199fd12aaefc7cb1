import AudioIO
import AudioReports
import Threads

/// An event of the engine, in the JSON and in words.
struct EventReport: Reported {
    let event: EngineEvent

    static let fields: [ReportField<Self>] = [
        .field("event", "what happened, as transition or serverLost; the last 1000", \.name),
        .field("from", "the state before a transition; null of other events", \.states?.from.name),
        .field("to", "the state after it", \.states?.to.name),
        .field("text", "in words", \.text),
        .field("wallTime", "when, in UTC", \.wallTime),
        .field(
            "monotonicNanoseconds", "when, on the clock that never jumps", unit: .nanoseconds,
            \.event.monotonicNanoseconds),
    ]

    var wallTime: String { WallClock.text(event.wallNanoseconds) }
    var text: String { shown(event.kind.description) }

    private var states: (from: EngineState, to: EngineState)? {
        if case .transition(let from, let to) = event.kind { (from, to) } else { nil }
    }

    private var name: String {
        switch event.kind {
        case .transition: "transition"
        case .serverLost: "serverLost"
        case .serverAnswers: "serverAnswers"
        case .rejoined: "rejoined"
        case .periodChanged: "periodChanged"
        case .sampleRateChanged: "sampleRateChanged"
        case .connectionLost: "connectionLost"
        case .connectionRestored: "connectionRestored"
        case .routeChanged: "routeChanged"
        case .trouble: "trouble"
        case .note: "note"
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

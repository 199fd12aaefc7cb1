import AudioFigures
import AudioIO
import AudioReports
import Threads

/// An event of the engine, in the JSON and in words.
struct EventReport: Encodable {
    var wallTime: String
    var monotonicNanoseconds: UInt64
    var event: String
    /// States, where it is a transition.
    var from: Nullable<String>
    var to: Nullable<String>
    /// In words.
    var text: String

    init(_ event: EngineEvent) {
        wallTime = WallClock.text(event.wallNanoseconds)
        monotonicNanoseconds = event.monotonicNanoseconds
        text = shown(event.kind.description)
        var states: (from: String?, to: String?) = (nil, nil)
        switch event.kind {
        case .transition(let from, let to):
            self.event = "transition"
            states = (from.name, to.name)
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
        from = Nullable(states.from)
        to = Nullable(states.to)
    }
}

extension EngineEvent {
    /// Whether people want to be told of it when it happens: not of the run's own beginning and end.
    var isNews: Bool {
        switch kind {
        case .transition(.ready, _), .transition(_, .closed), .transition(_, .failed): false
        default: true
        }
    }
}

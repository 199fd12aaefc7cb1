import AudioFigures
import Synchronization

/// What the server answers with that others make, texts and packets, and its own figures for them.
final class PagePublished: Sendable {
    private struct State {
        var status = "{}"
        var exposition = MetricsExposition()
        var health: String? = "starting"
        var figures = PageFigures()
        var broadcast: Broadcast?
    }

    private let state = Mutex(State())

    /// JSON.
    var status: String { state.withLock { $0.status } }
    /// What keeps the unit from running, as one sentence; `nil` where it runs.
    var health: String? { state.withLock { $0.health } }
    var figures: PageFigures { state.withLock { $0.figures } }
    /// What packets are made of; `nil` before anything is rendered.
    var broadcast: Broadcast? { state.withLock { $0.broadcast } }

    /// OpenMetrics.
    var metrics: String {
        let (exposition, figures) = state.withLock { ($0.exposition, $0.figures) }
        var all = exposition
        all.add(figures)
        return all.text
    }

    func publish(status: String, _ exposition: MetricsExposition, health: String?) {
        state.withLock { state in
            state.status = status
            state.exposition = exposition
            state.health = health
        }
    }

    func publish(_ broadcast: Broadcast) { state.withLock { $0.broadcast = broadcast } }

    func note(_ figures: PageFigures) { state.withLock { $0.figures = figures } }
}

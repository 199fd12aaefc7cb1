import AudioFigures
import Synchronization

/// What the server answers with that others make, texts and packets, and its own figures for them.
final class PagePublished: Sendable {
    struct Contents: Sendable {
        /// JSON.
        var status = "{}"
        var exposition = MetricsExposition()
        /// What keeps the unit from running, as one sentence; `nil` where it runs.
        var health: String? = "starting"
        var figures = PageFigures()
        /// What packets are made of; `nil` before anything is rendered.
        var broadcast: Broadcast?

        /// OpenMetrics.
        var metrics: String {
            var all = exposition
            all.add(figures)
            return all.text
        }
    }

    private let state = Mutex(Contents())

    var contents: Contents { state.withLock { $0 } }

    func change(_ body: (inout Contents) -> Void) { state.withLock { body(&$0) } }
}

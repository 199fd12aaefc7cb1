import AudioDSP
import LiveRuns

// What can be changed of a run of `monitor`.
extension MonitorSession {
    /// In the order in which they are listed.
    func makeControls() -> ControlTable {
        let engine = run.engine
        return ControlTable(
            Control.all(of: chain.effects) + parts.controls + [
                .flag("pause", "fade out, and let taps and recordings wait", isUndoable: false) {
                    engine.state == .paused
                } set: { isPaused in
                    guard isPaused != (engine.state == .paused) else { return }
                    if isPaused { try engine.pause() } else { try engine.resume() }
                }
            ] + (chain.recorder?.controls ?? []) + run.controls)
    }
}

import AudioDSP
import AudioIO
import AudioRecording
import AudioStreaming

// What can be changed of a run of `monitor`.
extension MonitorSession {
    /// In the order in which they are listed.
    func makeControls() -> ControlTable { ControlTable(Control.all(of: chain.effects) + runControls) }

    private var runControls: [Control] {
        let (engine, voice) = (run.engine, voice)
        var controls: [Control] = []
        // It delays the sound: without --voice there is none, and no key or controller starts it.
        if voice.choice.engine != nil {
            controls.append(
                .flag("voice", "voice processing") {
                    voice.isOn
                } set: {
                    try voice.setOn($0)
                })
        }
        controls.append(
            .flag("pause", "fade out, and let taps and recordings wait", isUndoable: false) {
                engine.state == .paused
            } set: { isPaused in
                guard isPaused != (engine.state == .paused) else { return }
                if isPaused { try engine.pause() } else { try engine.resume() }
            })
        if let recorder = chain.recorder {
            controls.append(
                .flag("record", "the recording goes on, or pauses", isUndoable: false) {
                    recorder.state == .recording
                } set: { isOn in
                    guard isOn != (recorder.state == .recording) else { return }
                    if isOn { recorder.resume() } else { recorder.pause() }
                })
        }
        controls.append(
            .action("resume", "go on, where a server came back") { try engine.resume() })
        return controls
    }
}

extension ControlTable {
    /// What a page asks for.
    func obey(_ wish: PageControl) throws(ControlError) {
        try set(wish.settings.map { ($0.name, $0.value) }, by: .page)
    }
}

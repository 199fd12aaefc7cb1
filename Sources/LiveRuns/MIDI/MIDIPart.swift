import AudioRealtime

/// MIDI of a run: controllers that change it, or the messages of plug-ins alone.
package final class MIDIPart: RunPart {
    private let mappings: MIDIOptions.Mappings?
    /// Set when the run begins; `nil` without `--midi`.
    package private(set) var control: MIDIControl?
    /// Of a unit that has MIDI for plug-ins alone: nothing is controlled by it.
    private var plain: MIDIControlEnd?

    private static let paceSeconds = 0.005

    /// - Parameter mappings: `nil` without `--midi`.
    init(_ mappings: MIDIOptions.Mappings?) { self.mappings = mappings }

    package func start(_ session: any LiveSession) throws {
        let unit = session.run.unit
        guard let mappings, let controlEnd = unit.midi else {
            plain = unit.midi
            plain?.leaveToNodes()
            return
        }
        control = MIDIControl(controlEnd, session.controls, mappings.mappings, savingTo: mappings.place) {
            unit.periodSeconds
        }
    }

    /// How often controllers are polled.
    package var pauseSeconds: Double { control == nil ? .infinity : Self.paceSeconds }

    package func work(_ moment: RunMoment) { control?.work() }

    package var words: [String] { control.map { [$0.report.summary] } ?? [] }

    package var report: MIDIReport? {
        control?.report ?? plain.map { MIDIReport(mappings: 0, statistics: $0.statistics) }
    }
}

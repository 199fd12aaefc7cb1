import AudioIO
import AudioRealtime
import CommandSyntax
import TerminalPages

/// What changes a run from outside its terminal: a part of every run of an engine.
///
/// Thread: control. It is part of the run's loop: `work` does what has come and what is due, and never waits.
final class RemoteControl {
    /// `nil` without `--osc`.
    let osc: OSCServer?
    /// Set when the run begins; `nil` without `--midi`.
    private(set) var midi: MIDIControl?
    private let mappings: MIDIOptions.Mappings?
    private let isOpenToOthers: Bool
    private var controls: ControlTable?
    /// Of a unit that has MIDI for plug-ins alone: nothing is controlled by it.
    private var plain: MIDIControlEnd?

    /// How often controllers are polled.
    private static let midiSeconds = 0.005

    /// Takes its port, and reads which controllers move what.
    ///
    /// - Parameters:
    ///   - inputs, outputs: channels whose levels OSC reports.
    /// - Throws: as `OSCServer`; `config`.
    init(_ options: RemoteOptions, inputs: Int, outputs: Int) throws(Failure) {
        mappings = if let midi = options.midi { try midi.load() } else { nil }
        if let address = options.osc {
            osc = try OSCServer(address, inputs: inputs, outputs: outputs)
        } else {
            osc = nil
        }
        isOpenToOthers = options.osc?.isLoopback == false
    }

    /// Begins to act on what comes.
    func start(_ session: some LiveSession) throws {
        let unit = session.run.unit
        controls = session.controls
        if let mappings, let controlEnd = unit.midi {
            midi = MIDIControl(controlEnd, session.controls, mappings.mappings, savingTo: mappings.place) {
                unit.periodSeconds
            }
        } else {
            plain = unit.midi
        }
        guard let osc else { return }
        try osc.start(session)
        StandardError.complain("listening for OSC on \(osc.place)")
        if isOpenToOthers {
            StandardError.complain("OSC has no password: anyone who reaches that address can change this run")
        }
    }

    /// What wakes the run, where something has come there.
    var sockets: [CInt] { osc.map { [$0.descriptor] } ?? [] }

    /// In seconds, until something is due; infinity where nothing is.
    var pauseSeconds: Double { min(midi == nil ? .infinity : Self.midiSeconds, osc?.pauseSeconds ?? .infinity) }

    func work() {
        controls?.tell()
        midi?.work()
        // What nobody takes would count as lost.
        while plain?.take() != nil {}
        osc?.serve()
    }

    /// `nil` where the unit has no MIDI.
    var midiReport: MIDIReport? {
        midi.map(MIDIReport.init) ?? plain.map { MIDIReport(mappings: 0, statistics: $0.statistics) }
    }

    /// For people: what there is, and what came.
    var words: [String] { [osc?.words, midi?.words].compactMap(\.self) }
}

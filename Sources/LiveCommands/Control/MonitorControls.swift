import AudioDSP
import AudioIO
import AudioRecording
import AudioStreaming
import TerminalPages

// What can be changed of a run of `monitor`.
extension MonitorSession {
    /// In the order in which they are listed.
    func makeControls() -> ControlTable {
        ControlTable(shaperControls + bandControls + runControls)
    }

    private var shaperControls: [Control] {
        let (unit, range) = (unit, UnitConfiguration.decibelRange)
        let shapes = shapes
        return [
            .number("gain", "gain of the unit", range, "dB", span: -60...12) {
                unit.shaper.gainDecibels
            } set: {
                unit.setGain(decibels: $0)
            },
            .number("drive", "gain into the shaper", range, "dB", span: 0...48) {
                unit.shaper.driveDecibels
            } set: {
                unit.setDrive(decibels: $0)
            },
            .choice("shape", "curve of the shaper", shapes.map(\.name)) {
                unit.parameters.shape.name
            } set: {
                if let shape = Shape(name: $0) { unit.setShape(shape) }
            },
            .choice("antialias", "what is done against the shaper's aliases", Antialiasing.allCases.map(\.name)) {
                unit.parameters.antialiasing.name
            } set: {
                if let mode = Antialiasing(name: $0) { unit.setAntialiasing(mode) }
            },
            .choice("phase", "phase of the filters of an oversampling", FilterPhase.allCases.map(\.name)) {
                unit.parameters.phase.name
            } set: {
                if let phase = FilterPhase(name: $0) { unit.setFilterPhase(phase) }
            },
            .flag("compensate", "keep the output's level whatever the drive") {
                unit.parameters.hasMakeUpGain
            } set: {
                unit.setMakeUpGain($0)
            },
            .flag("bypass", "leave the signal alone: no equaliser, gain or shape") {
                unit.parameters.isBypassed
            } set: { [chain] in
                chain.setBypass($0)
            },
            .flag("mute", "silence at the outputs") {
                unit.parameters.isMuted
            } set: {
                unit.setMute($0)
            },
        ]
    }

    /// Of each band of the equaliser, from 1.
    private var bandControls: [Control] {
        guard let equaliser = chain.equaliser else { return [] }
        func change(_ index: Int, _ body: (inout EqualiserBand) -> Void) {
            var band = equaliser.bands[index]
            body(&band)
            equaliser.set(index, band)
        }
        return equaliser.bands.indices.flatMap { index -> [Control] in
            let (path, place) = ("eq/\(index + 1)", "band \(index + 1) of the equaliser")
            return [
                .choice("\(path)/kind", "kind of \(place)", EqualiserBand.Kind.allCases.map(\.word)) {
                    equaliser.bands[index].kind.word
                } set: { word in
                    if let kind = EqualiserBand.Kind.allCases.first(where: { $0.word == word }) {
                        change(index) { $0.kind = kind }
                    }
                },
                .number(
                    "\(path)/hertz", "frequency of \(place)", EqualiserBand.hertzRange, "Hz", span: 20...20_000,
                    taper: .logarithmic
                ) {
                    equaliser.bands[index].hertz
                } set: { hertz in
                    change(index) { $0.hertz = hertz }
                },
                .number("\(path)/gain", "gain of \(place)", EqualiserBand.decibelsRange, "dB") {
                    equaliser.bands[index].decibels
                } set: { decibels in
                    change(index) { $0.decibels = decibels }
                },
                .number("\(path)/q", "Q of \(place)", EqualiserBand.qRange, "", taper: .logarithmic) {
                    equaliser.bands[index].q
                } set: { q in
                    change(index) { $0.q = q }
                },
                .flag("\(path)/on", "\(place) does something") {
                    equaliser.bands[index].isOn
                } set: { isOn in
                    change(index) { $0.isOn = isOn }
                },
            ]
        }
    }

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

    /// Without a table there is no such shape.
    var shapes: [Shape] {
        unit.configuration.shapeTable == nil ? Shape.allCases.filter { $0 != .table } : Shape.allCases
    }
}

extension ControlTable {
    /// What a page asks for.
    func obey(_ wish: PageControl) throws(ControlError) {
        let values: [(name: String, value: ControlValue)] =
            switch wish {
            case .gain(let decibels): [("gain", .number(decibels))]
            case .drive(let decibels): [("drive", .number(decibels))]
            case .shape(let name): [("shape", .choice(name))]
            case .bypass(let isOn): [("bypass", .flag(isOn))]
            case .mute(let isOn): [("mute", .flag(isOn))]
            case .pause(let isOn): [("pause", .flag(isOn))]
            case .record(let isOn): [("record", .flag(isOn))]
            case .band(let index, let band):
                [
                    ("eq/\(index + 1)/kind", .choice(band.kind.word)), ("eq/\(index + 1)/hertz", .number(band.hertz)),
                    ("eq/\(index + 1)/gain", .number(band.decibels)), ("eq/\(index + 1)/q", .number(band.q)),
                    ("eq/\(index + 1)/on", .flag(band.isOn)),
                ]
            }
        try set(values, by: .page)
    }
}

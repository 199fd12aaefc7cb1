import AudioDSP
import AudioRealtime
import CommandSyntax
import Threads

/// Connects the controls of a run with MIDI controllers: messages set controls, and changes from elsewhere are sent back.
///
/// Thread: control.
package final class MIDIControl {
    private let controlEnd: MIDIControlEnd
    private let table: ControlTable
    /// Where mappings are kept; `nil` of a user without a home.
    private let place: SettingsPlace?
    private(set) var mappings: [MIDIMapping]
    private let periodSeconds: () -> Double
    private var decoder = MIDIDecoder()
    private var echoes = MIDIEchoes()
    private var learner: (control: String, learner: MIDILearner)?
    /// What each source said last: a button acts when it is pressed, and not while it is.
    private var last: [MIDISource: Int] = [:]
    /// The only value beside 0 that each source has sent so far; 0 of one that has sent several, as a fader or a pedal does.
    private var onlyValue: [MIDISource: Int] = [:]
    /// Those whose first value was a low one: a button is let go next, a fader moves on.
    private var unsure: Set<MIDISource> = []
    /// Mappings whose controllers do not know yet where their controls stand.
    private var stale: Set<Int> = []
    private var shown: [MIDISource: [MIDIMessage]] = [:]
    /// What is moved just now need not be told where it stands.
    private var moved: MIDISource?
    private var connections = 0
    /// Whether something was connected that knows nothing yet.
    private var isNewcomer = false
    /// Why the last move did nothing; or what was learnt last.
    package private(set) var trouble: String?
    private(set) var news: String?

    /// So many messages are looked at before anything else has its turn.
    private static let mostMessages = 4096

    /// - Parameter periodSeconds: the server's period, now.
    init(
        _ controlEnd: MIDIControlEnd, _ table: ControlTable, _ mappings: [MIDIMapping],
        savingTo place: SettingsPlace?, periodSeconds: @escaping () -> Double = { 0 }
    ) {
        self.controlEnd = controlEnd
        self.periodSeconds = periodSeconds
        self.table = table
        self.mappings = mappings
        self.place = place
        stale = Set(mappings.indices)
        table.observe { [weak self] control, _, origin in self?.noteChange(of: control.name, by: origin) }
    }

    /// Takes what came, and tells the controllers what has changed. To be called every few milliseconds.
    func work(atNanoseconds now: UInt64 = MonotonicClock.nanoseconds()) {
        echoes.forget(
            atNanoseconds: now, isWaiting: !controlEnd.hasSentAll, periodSeconds: periodSeconds)
        // Of a fader that was moved, the last place counts.
        var faders: [(mapping: MIDIMapping, value: Int)] = []
        for _ in 0..<Self.mostMessages {
            guard let message = controlEnd.take() else { break }
            let isEcho = echoes.take(message, atNanoseconds: now)
            let readings = decoder.read(message, isEcho: isEcho)
            guard !isEcho else {
                // It may be a button that is let go just when its lamp was told to go out: its next press is one.
                for reading in readings where reading.value == 0 { last[reading.source] = 0 }
                continue
            }
            if learner != nil {
                learner?.learner.take(readings, atNanoseconds: now)
                continue
            }
            for reading in readings { take(reading, &faders) }
        }
        for fader in faders { move(fader.mapping, to: fader.value) }
        finishLearning(atNanoseconds: now)
        if controlEnd.connections != connections {
            connections = controlEnd.connections
            isNewcomer = true
            echoes.noteConnection(atNanoseconds: now)
        }
        if isNewcomer, controlEnd.reachesAll {
            isNewcomer = false
            shown = [:]
            stale = Set(mappings.indices)
        }
        tell(atNanoseconds: now)
    }

    private func take(_ reading: MIDIReading, _ faders: inout [(mapping: MIDIMapping, value: Int)]) {
        let before = last[reading.source] ?? 0
        for mapping in mappings where mapping.source == reading.source {
            guard let control = try? table.control(mapping.control) else { continue }
            if let steps = mapping.mode.steps(reading.value) {
                step(mapping, control, by: steps)
                continue
            }
            let isNote = if case .note = reading.source.kind { true } else { false }
            let isFader = if case .number = control.kind { mapping.mode == .absolute } else { false }
            if !isFader && (isNote || mapping.mode == .toggle || control.kind == .action) {
                // A press, or a fader that passes the middle of its way. A button may send a low value when it is pressed.
                let isLow = mapping.mode == .toggle && reading.value > 0 && onlyValue[reading.source] == reading.value
                let pressed = isNote || isLow ? 1 : (reading.source.top + 1) / 2
                let wasPressed =
                    !isNote && mapping.mode == .toggle && reading.value == 0 && unsure.contains(reading.source)
                if wasPressed || (reading.value >= pressed && (before < pressed || isNote)) { advance(mapping) }
            } else if !isNote || reading.value > 0 {
                faders.removeAll { $0.mapping == mapping }
                faders.append((mapping, reading.value))
            }
        }
        last[reading.source] = reading.value
        unsure.remove(reading.source)
        guard reading.value > 0 else { return }
        if onlyValue[reading.source] == nil, reading.value < (reading.source.top + 1) / 2 {
            unsure.insert(reading.source)
        }
        onlyValue[reading.source] =
            onlyValue[reading.source, default: reading.value] == reading.value ? reading.value : 0
    }

    private func move(_ mapping: MIDIMapping, to value: Int) {
        let position = Double(value) / Double(mapping.source.top)
        change(mapping) { table throws(ControlError) in
            try table.set(mapping.control, table.control(mapping.control).info.value(atPosition: position), by: .midi)
        }
    }

    private func advance(_ mapping: MIDIMapping) {
        change(mapping, isShown: true) { table throws(ControlError) in try table.advance(mapping.control, by: .midi) }
    }

    /// An encoder has 127 steps from end to end.
    private func step(_ mapping: MIDIMapping, _ control: Control, by steps: Int) {
        guard steps != 0 else { return }
        let value: ParameterValue
        switch (control.kind, control.get()) {
        case (.choice(let words), .choice(let word)):
            let index = (words.firstIndex(of: word) ?? 0) + steps
            value = .choice(words[min(max(index, 0), words.count - 1)])
        case (.flag, _): value = .flag(steps > 0)
        case (.action, _): value = .action
        case (.number, .number(let number)) where control.info.step != nil:
            // One after the other: each of them moves it.
            value = .number(
                (0..<abs(steps)).reduce(number) { number, _ in
                    control.info.turned(number, byPart: steps > 0 ? 1.0 / 127 : -1.0 / 127)
                })
        case (.number, .number(let number)): value = .number(control.info.turned(number, byPart: Double(steps) / 127))
        default: return
        }
        change(mapping, isShown: true) { table throws(ControlError) in try table.set(mapping.control, value, by: .midi)
        }
    }

    /// - Parameter isShown: whether what was moved has to be told where its control stands now, as the ring of an encoder.
    private func change(
        _ mapping: MIDIMapping, isShown: Bool = false, _ body: (ControlTable) throws(ControlError) -> Void
    ) {
        trouble = nil
        moved = isShown ? nil : mapping.source
        defer { moved = nil }
        // Where it stands now is not where it was told to.
        shown[mapping.source] = nil
        do throws(ControlError) {
            try body(table)
        } catch {
            trouble = error.description
        }
    }
}

// Feedback to the controllers.
extension MIDIControl {
    private func noteChange(of control: String, by origin: ControlOrigin?) {
        for (index, mapping) in mappings.enumerated() where mapping.control == control {
            if case .midi = origin, mapping.source == moved { continue }
            stale.insert(index)
        }
    }

    private func tell(atNanoseconds now: UInt64) {
        for index in stale.sorted() {
            guard let control = try? table.control(mappings[index].control) else {
                // Nothing of this run.
                stale.remove(index)
                continue
            }
            let source = mappings[index].source
            let messages = source.messages(at: control.info.position(of: control.get()))
            if shown[source] != messages {
                // A message that finds no room is sent later.
                for message in messages {
                    guard controlEnd.send(message) else { return }
                    echoes.add(message, atNanoseconds: now)
                }
                shown[source] = messages
            }
            stale.remove(index)
        }
    }
}

// Learning.
extension MIDIControl {
    /// The control that waits for what is moved next; `nil` where none does.
    var learning: String? { learner?.control }

    /// The next fader or key that somebody moves is mapped to this control.
    func learn(_ control: String) {
        news = nil
        learner = (control, MIDILearner())
    }

    func cancelLearning() { learner = nil }

    /// A control is moved by nothing any more.
    func forget(_ control: String) {
        news = "\(control) is not mapped"
        mappings.removeAll { $0.control == control }
        stale = Set(mappings.indices)
        save { MIDIMapText.removing($0, control: control) }
    }

    private func finishLearning(atNanoseconds now: UInt64) {
        guard let (control, learner) = learner, let result = learner.result(atNanoseconds: now) else { return }
        self.learner = nil
        // A fader near its end may look like a button, and a number is not switched over.
        let isNumber = if case .number? = (try? table.control(control))?.kind { true } else { false }
        let mode = isNumber && result.mode == .toggle ? .absolute : result.mode
        let mapping = MIDIMapping(control: control, source: result.source, mode: mode)
        mappings.removeAll { $0.control == control || $0.source == mapping.source }
        mappings.append(mapping)
        stale = Set(mappings.indices)
        news = "\(mapping)"
        save { MIDIMapText.replacing($0, with: mapping) }
    }

    private func save(_ change: (String) -> String) {
        trouble = nil
        do {
            guard let place else { throw Failure(.cannotCreate, "there is no home folder to keep the mappings in") }
            try place.update(patienceSeconds: UserFile.livePatienceSeconds) { change($0) }
        } catch {
            trouble = "\((error as? Failure)?.message ?? "\(error)")"
        }
    }

    var report: MIDIReport {
        // What this run does not have: another subcommand may, or the name is wrong.
        let idle = mappings.map(\.control).filter { (try? table.control($0)) == nil }
        return MIDIReport(mappings: mappings.count, idle: idle, statistics: controlEnd.statistics)
    }
}

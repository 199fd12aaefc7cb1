import AudioIO
import AudioRealtime
import Jack
import TestSupport

/// A graph of three on a private server: feeder → unit → sink.
final class Passage {
    let server: Server
    let unit: IOUnit
    let feeder: Probe
    let sink: Probe

    /// Starts everything; nothing rolls yet.
    ///
    /// - Parameters:
    ///   - signals: what the feeder plays, one for each channel.
    ///   - length: frames that the sink has room for.
    ///   - prepare: is called before the unit is started.
    init(
        on server: Server, _ signals: [[Float]], length: Int, _ configuration: UnitConfiguration,
        prepare: (IOUnit) throws -> Void = { _ in }
    ) throws {
        self.server = server
        feeder = try Probe.feeder(on: server, signals)
        sink = try Probe.sink(on: server, channels: signals.count, length: length)
        unit = try IOUnit(configuration)
        try prepare(unit)
        try unit.start()
        try sink.waitForCycles()
    }

    /// One sample after the other of what the feeder played and the sink heard in the same cycles.
    func pairs(_ channel: Int = 0) -> (fed: [Float], heard: [Float]) {
        let played = Dictionary(feeder.notes.map { ($0.frameTime, $0) }) { $1 }
        var fed: [Float] = []
        var heard: [Float] = []
        for note in sink.notes {
            guard let source = played[note.frameTime], source.frames == note.frames else { continue }
            fed += feeder.block(source, channel)
            heard += sink.block(note, channel)
        }
        return (fed, heard)
    }

    /// Begins to record, then to play, and waits until the sink is full.
    func run() throws {
        try server.roll(sink, feeder)
        try waitUntil("the sink is full") { sink.isFull }
    }

    /// The number that a frame of the unit's has, of all that it rendered, by the time of JACK's frame clock.
    /// Holds as far back as the clock has run without a gap.
    func positions() throws -> (UInt32) -> Int {
        guard let last = unit.lastCycle else { throw DidNotHappen(description: "the unit has rendered a cycle") }
        return { Int(last.position) - Int(last.frameTime &- $0) }
    }
}

extension [CycleNote] {
    /// Whether each cycle begins where the one before ended.
    var isContinuous: Bool {
        zip(self, dropFirst()).allSatisfy { $0.frameTime &+ UInt32($0.frames) == $1.frameTime }
    }
}

import AudioIO
import AudioRealtime
import Jack
import TestSupport
import Testing

/// A graph of three on a private server, with a queue in its middle: feeder → unit → sink.
///
/// The server must run in sync mode, and be patient unless it freewheels: no cycle is skipped then, and by the frame clock what
/// is heard is put beside what was fed.
final class QueuePassage {
    let server: Server
    let unit: QueuedUnit
    let feeder: Probe
    let sink: Probe
    let cycles = RecordLog()
    let buffers = RecordLog()
    /// By when the sink is connected. A unit plays before it is connected, and a machine that stands still makes that long.
    private var connectedBy: UInt32 = 0

    /// Starts everything; nothing rolls yet.
    ///
    /// - Parameters:
    ///   - signals: what the feeder plays, one for each channel.
    ///   - length: frames that the sink has room for.
    ///   - process: what the worker does with each buffer in the chain's place.
    ///   - prepare: is called before the unit is started.
    init(
        on server: Server, _ signals: [[Float]], length: Int, _ configuration: QueueUnderTest,
        process: (@Sendable (inout QueueBuffer) -> Void)? = nil, prepare: (QueuePassage) throws -> Void = { _ in }
    ) throws {
        self.server = server
        feeder = try Probe.feeder(on: server, signals)
        sink = try Probe.sink(on: server, channels: signals.count, length: length)
        unit = try QueuedUnit(configuration, process: process)
        unit.onCycles { [cycles] in cycles.add($0) }
        unit.onBuffers { [buffers] in buffers.add($0) }
        try prepare(self)
        try unit.start()
        try sink.waitForCycles()
        connectedBy = try sink.withClient { $0.frameTime }
    }

    /// Lets the server run as fast as it can: its cycles then wait for the worker, so that nothing can be lost.
    func freewheel() throws {
        try settle()
        try sink.withClient { client in
            try client.setFreewheel(true)
            // So that no cycle in real time follows, of which a machine that stands still leaves some out.
            let start = client.frameTime
            try waitUntil("it freewheels") { client.frameTime &- start > 48_000 }
        }
    }

    func keepTime() throws { try sink.withClient { try $0.setFreewheel(false) } }

    /// Waits until as much input was dropped as silence was inserted: the queue is as old then as it is meant to be.
    func settle() throws {
        try waitUntil("the queue is as old as it is meant to be") {
            let statistics = unit.statistics
            return statistics.droppedFrames == statistics.insertedFrames
        }
    }

    /// Begins to record, then to play, and waits until the sink is full.
    func run() throws {
        try server.roll(sink, feeder)
        try waitUntil("the sink is full") { sink.isFull }
    }

    /// One sample after the other of what the sink heard, and of what was fed so many frames before; silence where
    /// nothing was.
    func pairs(_ channel: Int = 0, delay: Int) throws -> (fed: [Float], heard: [Float]) {
        let offset = try recordingStart() - delay
        let signal = feeder.signal(channel)
        let heard = Array(sink.signal(channel).prefix(sink.passed))
        let fed = heard.indices.map { offset + $0 < 0 ? 0 : signal[(offset + $0) % signal.count] }
        return (fed, heard)
    }

    /// How many frames after it was fed each frame was heard, of a signal of numbers that does not repeat.
    func delays() throws -> [Int] {
        let start = try recordingStart()
        return sink.signal().prefix(sink.passed).enumerated().compactMap { index, sample in
            sample == 0 ? nil : start + index - (Int(sample) - 1)
        }
    }

    /// When the sink heard its first sample, and how many frames the unit had played before the sink was connected, of a
    /// signal of numbers that the sink records from the start.
    func beginning() throws -> (frameTime: UInt32, unheard: Int) {
        let heard = sink.signal().prefix(sink.passed)
        let place = try #require(heard.firstIndex { $0 > 0 })
        let frameTime = try #require(sink.notes.first).frameTime &+ UInt32(place)
        let unheard = Int(heard[place]) - 1
        #expect(unheard == 0 || Int32(bitPattern: connectedBy &- frameTime) >= 0, "\(unheard) frames are missing")
        return (frameTime, unheard)
    }

    /// Where in the feeder's signal the sink's recording begins; below 0 where that is before it.
    private func recordingStart() throws -> Int {
        let heard = sink.notes
        let played = feeder.notes
        #expect(heard.isContinuous && played.isContinuous)
        let first = try #require(heard.first)
        let origin = try #require(played.first)
        return Int(Int32(bitPattern: first.frameTime &- origin.frameTime))
    }
}

/// A unit and its queue. The properties of the queue are its own.
@dynamicMemberLookup
struct QueueUnderTest {
    var unit: UnitConfiguration
    var buffers: QueueConfiguration

    subscript<Value>(dynamicMember path: WritableKeyPath<QueueConfiguration, Value>) -> Value {
        get { buffers[keyPath: path] }
        set { buffers[keyPath: path] = newValue }
    }
}

extension QueueUnderTest {
    /// A queue between the probes `feeder` and `sink` that leaves the sound alone.
    init(
        between server: Server, frames: Int, count: Int = 3, channels: Int = 1, format: QueueFormat = .float
    ) {
        unit = UnitConfiguration(between: server, channels: channels)
        unit.isBypassed = true
        buffers = QueueConfiguration(bufferFrames: frames)
        buffers.bufferCount = count
        buffers.format = format
    }

    /// A queue that is connected to nothing.
    init(alone server: Server, frames: Int, count: Int = 3) {
        unit = UnitConfiguration(alone: server)
        buffers = QueueConfiguration(bufferFrames: frames)
        buffers.bufferCount = count
    }
}

extension QueuedUnit {
    convenience init(
        _ test: QueueUnderTest, process: (@Sendable (inout QueueBuffer) -> Void)? = nil
    ) throws(UnitError) {
        try self.init(test.unit, queue: test.buffers, process: process)
    }
}

/// Samples that say where they stand in the signal: integers are exact below 2²⁴, and 0 is silence.
let counter: [Float] = (0..<(1 << 21)).map { Float($0 + 1) }

import AudioDSP
import AudioRealtime
import TestSupport

/// What a sound card and its server are to a unit: port buffers, a frame clock and a monotonic clock, both moved by
/// hand. Every cycle runs inside the real-time sanitizer's region.
final class FakeDevice {
    let shaper: ShaperPlan
    /// Where each channel's input comes from this cycle; `nil` where the port has no buffer. By default a buffer of
    /// its own.
    var inputs: [UnsafeMutablePointer<Float>?]
    var outputs: [UnsafeMutablePointer<Float>?]
    /// The monotonic clock, which stands still during a render.
    var nanoseconds: UInt64 = 5_000_000_000
    /// How long the next cycles take.
    var renderNanoseconds: UInt64 = 40_000
    var frameTime: UInt32 = 1000
    /// The server's, in hertz; 0 where nobody asks.
    var sampleRate: UInt32 = 0
    var isFreewheeling = false
    let unit: Cell<RenderUnit>
    private var records: Consumer<CycleRecord>
    private let memory: UnsafeMutablePointer<Float>
    private let longest: Int
    /// What an output holds where nothing was written.
    static let untouched: Float = 777

    init(
        channels: Int = 2, parameters: ShaperSetting = .cubic, rampFrames: Int = 0, longest: Int = 20_000,
        recordCapacity: Int = 64
    ) {
        let recordRing = Ring<CycleRecord>(capacity: recordCapacity)
        shaper = ShaperPlan(channels: channels, parameters: parameters, rampFrames: rampFrames)
        unit = Cell(shaper.makeRenderer(records: recordRing.producer))
        records = recordRing.consumer
        // One frame more than is ever asked for, in which the first write too far would show.
        let stride = longest + 1
        let memory = UnsafeMutablePointer<Float>.allocate(capacity: 2 * channels * stride)
        memory.initialize(repeating: Self.untouched, count: 2 * channels * stride)
        inputs = (0..<channels).map { memory + $0 * stride }
        outputs = (0..<channels).map { memory + (channels + $0) * stride }
        self.memory = memory
        self.longest = longest
    }

    deinit { memory.deallocate() }

    var meters: Meters { shaper.meters }

    /// What the unit has taken.
    var parameters: ShaperSetting { shaper.taken }

    func send(_ command: Command) { shaper.send(command) }

    func pause(_ isPaused: Bool) { shaper.output.pointer.pointee.setPause(isPaused) }

    /// Adds a reader of the outputs. Before the first cycle, or before a reset.
    func tap(channels: Int = 2, capacity: Int) -> TapReader {
        let reader = shaper.tap(capacity: capacity)
        precondition(reader.channels == channels)
        begin(TapRun(sampleRate: 48000))
        return reader
    }

    private func begin(_ run: TapRun) {
        unit.pointer.pointee.begin(
            shaper.plan, rampMilliseconds: shaper.rampMilliseconds(Int(run.sampleRate)), run: run)
    }

    /// Starts again, as a control thread does before it activates the unit again.
    func reset(parameters: ShaperSetting, rampFrames: Int, run: TapRun = TapRun(sampleRate: 48000)) {
        shaper.reset(parameters, rampFrames: rampFrames, sampleRate: Int(run.sampleRate))
        begin(run)
    }

    /// One cycle on whatever the buffers hold.
    func cycle(frames: Int) {
        precondition(frames <= longest)
        let entry = nanoseconds
        let exit = nanoseconds + renderNanoseconds
        let (time, rate, isFreewheeling) = (frameTime, sampleRate, isFreewheeling)
        inputs.withUnsafeBufferPointer { inputs in
            outputs.withUnsafeBufferPointer { outputs in
                realtime {
                    for channel in 0..<inputs.count {
                        unit.pointer.pointee.inputs.set(channel, to: inputs[channel])
                        unit.pointer.pointee.outputs.set(channel, to: outputs[channel])
                    }
                    unit.pointer.pointee.render(
                        frames: frames, frameTime: time, entryNanoseconds: entry, sampleRate: rate,
                        isFreewheeling: isFreewheeling)
                    unit.pointer.pointee.finish(exitNanoseconds: exit)
                }
            }
        }
        nanoseconds += UInt64(frames) * 1_000_000_000 / 48_000
        frameTime &+= UInt32(frames)
    }

    /// One cycle on these inputs, one signal for each channel; returns the outputs, of which none may have been
    /// written beyond its end.
    func cycle(_ signals: [[Float]]) -> [[Float]] {
        let frames = signals[0].count
        for (input, signal) in zip(inputs, signals) { input?.update(from: signal, count: frames) }
        for output in outputs { output?.update(repeating: Self.untouched, count: frames + 1) }
        cycle(frames: frames)
        return outputs.map { output in
            guard let output else { return [] }
            precondition(output[frames] == Self.untouched, "the unit wrote beyond the end of a port's buffer")
            return Array(UnsafeBufferPointer(start: output, count: frames))
        }
    }

    /// What an output's buffer holds.
    func output(_ channel: Int, count: Int) -> [Float] {
        Array(UnsafeBufferPointer(start: outputs[channel], count: count))
    }

    /// All records that were not read yet.
    func takeRecords() -> [CycleRecord] {
        var taken: [CycleRecord] = []
        while let record = records.pop() { taken.append(record) }
        return taken
    }
}

import AudioDSP
import AudioRealtime
import TestSupport
import Threads

/// A render unit that is called back by a loop in place of libjack: stamps, commands, buffers, meters, telemetry.
final class RenderLoop {
    private let unit: Cell<RenderUnit>
    private let shaper: ShaperPlan
    private var records: Consumer<CycleRecord>
    private var tap: TapReader?
    private var tapped: [Float] = []
    private let inputs: SampleBlock
    private let outputs: SampleBlock
    private let channels: Int
    private let frames: Int
    /// How many cycles can run before `rest`.
    private static let capacity = 65536

    /// - Parameter signal: what is in each input, by frame; the same in each cycle.
    init(
        channels: Int = 2, frames: Int = 64, parameters: ShaperSetting = .cubic, isTapped: Bool = false,
        signal: (Int) -> Float = { 0.5 * Float(($0 * 37) % 64 - 32) / 32 }
    ) {
        self.channels = channels
        self.frames = frames
        inputs = SampleBlock(channels: channels, frames: frames)
        outputs = SampleBlock(channels: channels, frames: frames)
        for channel in 0..<channels {
            for frame in 0..<frames { inputs.channel(channel)[frame] = signal(frame) }
        }
        let records = Ring<CycleRecord>(capacity: Self.capacity)
        shaper = ShaperPlan(channels: channels, parameters: parameters, rampFrames: 480)
        if isTapped {
            let reader = shaper.tap(capacity: Self.capacity)
            self.tap = consume reader
        }
        unit = Cell(shaper.makeRenderer(records: records.producer))
        self.records = records.consumer
    }

    /// As a contender.
    ///
    /// - Parameters:
    ///   - change: what is sent to the unit before a cycle.
    ///   - rest: what is done after each round.
    func contender(
        change: @escaping (Int) -> [Command] = { _ in [] }, rest: @escaping () -> Void = {}
    ) -> Contender {
        Contender(
            run: { count in
                for cycle in 0..<count {
                    for command in change(cycle) { self.shaper.send(command) }
                    self.renderCycle()
                }
            },
            rest: {
                self.clear()
                rest()
            })
    }

    /// What workers do.
    private func clear() {
        while records.pop() != nil {}
        _ = tap?.read(interleavedInto: &tapped, capacity: Self.capacity)
    }

    /// What `AudioIO` does in JACK's process callback.
    private func renderCycle() {
        let entry = MonotonicClock.nanoseconds()
        for channel in 0..<channels {
            unit.pointer.pointee.inputs.set(channel, to: inputs.channel(channel))
            unit.pointer.pointee.outputs.set(channel, to: outputs.channel(channel))
        }
        unit.pointer.pointee.render(frames: frames, frameTime: 0, entryNanoseconds: entry)
        unit.pointer.pointee.finish(exitNanoseconds: MonotonicClock.nanoseconds())
    }
}

import AudioDSP
import AudioRealtime

/// The plan input, shaper, output, with the shaper's parameters and the taps: what an `IOUnit` renders.
package final class ShaperPlan {
    package let meters: Meters
    package let output: Cell<OutputState>
    private let shaper: Cell<ShaperState>
    private var news: MailboxWriter<ShaperSetting>
    private var tap: Tap?
    /// All plans that were made: some are being rendered.
    private var plans: [Cell<Plan>] = []
    /// What the shaper was told.
    package private(set) var parameters: ShaperSetting

    package init(channels: Int, parameters: ShaperSetting, rampFrames: Int = 0) {
        meters = Meters(channels: channels)
        output = Cell(OutputState(meters))
        self.parameters = parameters
        let mailbox = Mailbox(parameters)
        news = mailbox.writer
        shaper = Cell(
            ShaperState(
                mailbox.reader, parameters: parameters, rampFrames: rampFrames,
                maximumFrames: Plan.maximumFrames, channels: channels))
        self.rampFrames = rampFrames
        makePlan()
    }

    private var rampFrames: Int

    /// What renders the newest plan.
    package func makeRenderer(records: consuming Producer<CycleRecord>? = nil) -> RenderUnit {
        var unit = RenderUnit(
            .none, keeping: [self], inputs: meters.channels, outputs: meters.channels, records: records)
        unit.begin(plan, rampMilliseconds: rampMilliseconds(48_000), run: TapRun(sampleRate: 48_000))
        return unit
    }

    /// The newest one.
    package var plan: UnsafeMutablePointer<Plan> { plans[plans.count - 1].pointer }

    /// A little more than the ramp, so that no rounding makes it a frame less.
    package func rampMilliseconds(_ sampleRate: Int) -> Double {
        (Double(rampFrames) + 0.01) / Double(sampleRate) * 1000
    }

    package func send(_ command: Command) {
        parameters.apply(command)
        news.put(parameters)
    }

    /// What the shaper has been told of and has taken.
    package var taken: ShaperSetting { shaper.pointer.pointee.parameters }

    /// Has it begin with these, while nothing is rendered.
    package func reset(_ parameters: ShaperSetting, rampFrames: Int, sampleRate: Int) {
        self.parameters = parameters
        self.rampFrames = rampFrames
        news.put(parameters)
        shaper.pointer.pointee.reset(rampFrames: rampFrames, sampleRate: sampleRate)
        output.pointer.pointee.reset()
    }

    /// Adds a reader of what goes to the outputs, for a plan that is not rendered yet.
    package func tap(capacity: Int) -> TapReader {
        let tap = tap ?? Tap(channels: meters.channels, capacity: capacity)
        self.tap = tap
        let reader = tap.reader(capacity: capacity)
        makePlan()
        return reader
    }

    private func makePlan() {
        var nodes = [NodeBody.input, .shaper(shaper), .output(output)].map { PlanNode($0, channels: meters.channels) }
        nodes[2].tap = tap?.writer
        plans.append(Cell(PlanBuilder.plan(row: nodes, rampFrames: 0)))
    }
}

extension TapBlock {
    /// A block of so many frames, of which nothing else is known.
    package init(frames: Int) {
        self.init(run: TapRun(sampleRate: 48_000))
        self.frames = UInt32(frames)
    }
}

extension NodeBody {
    /// A shaper that is never told anything else.
    package static func shaper(_ parameters: ShaperSetting, channels: Int, rampFrames: Int = 0) -> NodeBody {
        .shaper(Cell(ShaperState(parameters, channels: channels, rampFrames: rampFrames)))
    }
}

extension NodeBody {
    /// An output whose levels nobody reads.
    package static func output(channels: Int) -> NodeBody { .output(Cell(OutputState(Meters(channels: channels)))) }
}

extension ShaperState {
    /// One that is never told anything else.
    package init(
        _ parameters: ShaperSetting, channels: Int, rampFrames: Int = 0, maximumFrames: Int = Plan.maximumFrames
    ) {
        let mailbox = Mailbox(parameters)
        self.init(
            mailbox.reader, parameters: parameters, rampFrames: rampFrames, maximumFrames: maximumFrames,
            channels: channels)
    }
}

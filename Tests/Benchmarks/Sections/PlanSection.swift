import AudioDSP
import AudioRealtime
import Foundation
import TestSupport
import Threads

extension Section {
    static let plan = Section(
        name: "plan",
        introduction: """
            What the audio thread runs, a row of steps on planes: the default graph against the shaper alone (input and
            shaper) and against the same with its shaper as a processor, and long plans against a row of nodes in C
            (clang -O3), each with a gain that can be changed.
            plan, twin: nanoseconds for a block, medians. ratio: median of plan / twin in each turn.
            """
    ) { workshop in
        let twins = try Twins(at: workshop.twins)
        var rows: [[String]] = []
        var goals: [Goal] = []
        func race(_ what: String, _ frames: Int, _ plan: Contender, _ twin: Contender, atMost limit: Double? = 1.05) {
            let race = Race([plan, twin], roundNanoseconds: 50_000)
            let ratio = race.ratio(0, to: 1)
            rows.append([
                what, "\(frames)", race.nanoseconds(0).text(0), race.nanoseconds(1).text(0), ratio.text(2),
            ])
            let figure = "\(what), \(frames) frames, plan against its twin"
            goals.append(limit.map { Goal(figure, ratio, atMost: $0) } ?? Goal(figure, ratio.text(2)))
        }
        race(
            "default graph, 2 channels", 64, PlanLoop(row: [shaper(2)], channels: 2, frames: 64).contender,
            shaperAlone(64))
        if let processor = StillShaper.node {
            race(
                "default graph, its shaper as a processor", 64,
                PlanLoop(row: [shaper(2)], channels: 2, frames: 64).contender,
                PlanLoop(row: [processor], channels: 2, frames: 64).contender, atMost: nil)
        }
        for frames in [64, 256] {
            let shapers = PlanLoop(row: (0..<64).map { _ in shaper(1) }, channels: 1, frames: frames)
            race(
                "64 shapers in a row", frames, shapers.contender,
                c(try twins.plan(mixes: false, nodes: 64, gain: 1), frames))
            let mixer = PlanLoop(lines: 100, frames: frames)
            let sum = try twins.plan(mixes: true, nodes: 100, gain: 0.01)
            race("100 connections into a mixer", frames, mixer.contender, c(sum, frames))
        }
        print(Table(["plan", "frames", "plan", "twin", "ratio"], rows).text)
        let (small, large) = (making(nodes: 100), making(nodes: 1000))
        return goals + [Goal("a plan of 1000 nodes to make, ratio to one of 100", large / small, atMost: 15)]
    }

    /// How long a plan of so many nodes and twice as many connections takes to make, in milliseconds.
    private static func making(nodes count: Int) -> Double {
        var generator = SystemRandomNumberGenerator()
        let nodes =
            [PlanNode(.input, channels: 2), PlanNode(.output(channels: 2), channels: 2)]
            + (2..<count).map { _ in PlanNode(shaper(2), channels: 2) }
        // Each hears one of those before it, and there are as many more connections by chance.
        let edges =
            (2..<count).map {
                PlanEdge(from: $0 == 2 ? 0 : Int.random(in: max(2, $0 - 20)..<$0, using: &generator), to: $0)
            }
            + (0..<count + 1).map { _ in
                let source = Int.random(in: 2..<count - 1, using: &generator)
                return PlanEdge(from: source, to: Int.random(in: source + 1..<count, using: &generator))
            } + [PlanEdge(from: count - 1, to: 1)]
        var times: [Double] = []
        var text = ""
        for _ in 0..<50 {
            let start = MonotonicClock.nanoseconds()
            guard let plan = try? PlanBuilder.plan(nodes, edges, rampFrames: 480) else { continue }
            times.append(Double(MonotonicClock.nanoseconds() - start) / 1e6)
            text = "\(plan.stepCount) steps on \(plan.planeCount) planes"
        }
        print(
            "\n\(count) nodes and \(2 * count) connections: \(text), made in \(times.median.text(2)) ms (median of 50)")
        return times.median
    }
}

/// A shaper of cubic shape at gain 1.
private func shaper(_ channels: Int) -> NodeBody { .shaper(ShaperSetting.cubic, channels: channels, rampFrames: 480) }

/// What the shaper above does in a block without a change, as a processor: a `ShaperState` needs the plan's planes, which a
/// processor does not see.
private struct StillShaper: AudioProcessor, ~Copyable {
    private let news: MailboxReader<ShaperSetting>
    private let shape: StillShape

    private init(_ shape: StillShape) {
        let mailbox = Mailbox(ShaperSetting.cubic)
        news = mailbox.reader
        self.shape = shape
    }

    /// `nil` on a machine without a loop for it.
    static var node: NodeBody? {
        StillShape(ShaperSetting.cubic.shaping, gain: Ramp(1), .best).map { shape in
            .processor(Cell(ProcessorState(StillShaper(shape), stillShaper, sampleRate: 48_000, nature: .ours)))
        }
    }

    mutating func process(_ block: borrowing ProcessorBlock) {
        guard !news.isNew else { return }
        for channel in 0..<block.channels { shape.apply(to: block.run(channel)) }
    }
}

@_noLocks @_noAllocation
private func stillShaper(_ call: ProcessorCall) { call.process(StillShaper.self) }

/// Runs a plan on buffers that hold a sound. What it makes goes nowhere, as in its twin.
final class PlanLoop {
    private let plan: Cell<Plan>
    private let inputs: PortBuffers
    private let outputs = PortBuffers(channels: 0)
    private let block: SampleBlock
    private let frames: Int

    /// A row of nodes behind the input, without an output: the twins have no meters.
    init(row bodies: [NodeBody], channels: Int, frames: Int) {
        let nodes = ([.input] + bodies).map { PlanNode($0, channels: channels) }
        plan = Cell(PlanBuilder.plan(row: nodes, rampFrames: 480))
        inputs = PortBuffers(channels: channels)
        block = sound(channels, frames)
        self.frames = frames
        for channel in 0..<channels { inputs.set(channel, to: block.channel(channel)) }
    }

    /// So many connections from the input to a mixer.
    init(lines: Int, frames: Int) {
        let nodes = [NodeBody.input, .mixer, .output(channels: 1)].map { PlanNode($0, channels: 1) }
        let edges = (0..<lines).map { _ in
            PlanEdge(from: 0, to: 1, line: Cell(Line(channels: 1, gains: Gains(0.01, 0.01), delayFrames: 0)))
        }
        let row = try? PlanBuilder.plan(nodes, edges + [PlanEdge(from: 1, to: 2)], rampFrames: 480)
        plan = Cell(row ?? PlanBuilder.plan(row: nodes, rampFrames: 480))
        inputs = PortBuffers(channels: 1)
        block = sound(1, frames)
        self.frames = frames
        inputs.set(0, to: block.channel(0))
    }

    var contender: Contender {
        Contender(run: { count in
            for _ in 0..<count {
                var block = TapBlock(frames: self.frames)
                _ = self.plan.pointer.pointee.render(self.inputs, self.outputs, from: 0, &block)
            }
        })
    }
}

/// The shaper as it would be called if there were nothing else.
func shaperAlone(_ frames: Int) -> Contender {
    let planes = Cell(Planes(channels: 2, capacity: Plan.maximumFrames))
    let inputs = Cell(PortBuffers(channels: 2))
    let block = sound(2, frames)
    for channel in 0..<2 { inputs.pointer.pointee.set(channel, to: block.channel(channel)) }
    let shaper = Cell(ShaperState(.cubic, channels: 2, rampFrames: 480))
    return Contender(run: { count in
        for _ in 0..<count {
            planes.pointer.pointee.arrange(frames: frames)
            let planes = planes.pointer
            _ = inputs.pointer.pointee.copyFinite(to: planes.pointee, planes.pointee.all, from: 0, count: frames)
            shaper.pointer.pointee.process(planes.pointee, planes.pointee.all, frames: frames)
        }
        withExtendedLifetime(block) {}
    })
}

/// The same in C.
private func c(_ twin: PlanTwin, _ frames: Int) -> Contender {
    let block = sound(1, frames)
    return Contender(run: { count in
        for _ in 0..<count { twin.render(twin.plan, block.channel(0), frames) }
    })
}

func sound(_ channels: Int, _ frames: Int) -> SampleBlock {
    let block = SampleBlock(channels: channels, frames: frames)
    for channel in 0..<channels {
        for index in 0..<frames { block.channel(channel)[index] = 0.9 * sin(Float(index + channel) * 0.3) }
    }
    return block
}

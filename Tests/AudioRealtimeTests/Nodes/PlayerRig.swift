import AudioDSP
import AudioRealtime
import TestSupport

/// A player whose audio thread and worker are both the test.
final class PlayerRig {
    let counters = Cell(PlayerCounters())
    private let plan: Cell<Plan>
    private var orders: Producer<PlayerOrder>
    private let keeper = Keeper()
    private let inputs = PortBuffers(channels: 1)
    private let channels: Int
    private(set) var position: UInt64 = 0
    /// Of JACK, where the player goes with it.
    var transport: TapTransport? {
        didSet { counters.pointer.pointee.followsTransport.store(transport != nil, ordering: .relaxed) }
    }

    final class Keeper {
        var things: [AnyObject] = []
    }

    /// A feed and the worker's end of its ring.
    final class Feed {
        let cell: Cell<PlayerFeed>
        private var producer: FrameProducer
        private(set) var frames = 0

        init(channels: Int, capacity: Int, sampleRate: Int, continues: Bool) {
            let ring = FrameRing(channels: channels, capacity: capacity)
            producer = ring.producer
            cell = Cell(PlayerFeed(ring.consumer, sampleRate: sampleRate, continues: continues))
        }

        func deliver(_ signals: [[Float]]) {
            precondition(producer.hasRoom(for: signals[0].count))
            for (channel, signal) in signals.enumerated() {
                var signal = signal
                signal.withUnsafeMutableBufferPointer { buffer in
                    guard let base = buffer.baseAddress else { return }
                    producer.write(Samples(base, count: buffer.count), channel: channel)
                }
            }
            producer.publish(signals[0].count)
            frames += signals[0].count
        }

        func follow(with feed: Feed) -> Bool { cell.pointer.pointee.follow(with: feed.cell) }
        func end() { cell.pointer.pointee.end(after: frames) }
        var played: Int { cell.pointer.pointee.playedFrames }
        var isSpent: Bool { cell.pointer.pointee.isSpent }
    }

    init(channels: Int = 1, rampFrames: Int = 0) {
        self.channels = channels
        let ring = Ring<PlayerOrder>(capacity: 256)
        orders = ring.producer
        let state = Cell(
            PlayerState(orders: ring.consumer, counters: counters, keeper: keeper, sampleRate: 48_000))
        let nodes = [
            PlanNode(.player(state), channels: channels), PlanNode(.output(channels: channels), channels: channels),
        ]
        plan = Cell(PlanBuilder.plan(row: nodes, rampFrames: rampFrames))
        plan.pointer.pointee.changeRate(to: 48_000)
    }

    func feed(
        _ signals: [[Float]]? = nil, channels: Int? = nil, capacity: Int = 4096, sampleRate: Int = 48_000,
        continues: Bool = false, ends: Bool = true
    ) -> Feed {
        let feed = Feed(
            channels: channels ?? signals?.count ?? self.channels, capacity: capacity, sampleRate: sampleRate,
            continues: continues)
        keeper.things.append(feed)
        if let signals { feed.deliver(signals) }
        if signals != nil && ends { feed.end() }
        return feed
    }

    /// - Parameter feed: `nil` where nothing is played from there on.
    @discardableResult
    func cue(
        _ feed: Feed?, at frame: UInt64 = 0, fadesIn: Bool = false, transportFrame: UInt32? = nil,
        sampleRate: Int = 48_000
    ) -> Cell<PlayerCue> {
        let transport = transportFrame.map { TransportPlace(frame: $0, sampleRate: sampleRate) }
        let cue = Cell(
            PlayerCue(frame: frame, feed: feed?.cell, fadesIn: fadesIn, transport: transport))
        keeper.things.append(cue)
        tell(.cue(cue.pointer))
        return cue
    }

    func tell(_ order: PlayerOrder) { precondition(orders.push(order)) }
    func move(_ cue: Cell<PlayerCue>, to feed: Feed) { tell(.move(cue.pointer, to: feed.cell.pointer)) }

    func pause(_ isPaused: Bool) { counters.pointer.pointee.isPaused.store(isPaused, ordering: .relaxed) }

    func changeRate(to sampleRate: Int) { realtime { plan.pointer.pointee.changeRate(to: sampleRate) } }

    func isReady(for frames: Int, reserve: Int = 0) -> Bool {
        realtime { plan.pointer.pointee.isReady(for: frames, reserveFrames: reserve) }
    }

    /// Renders blocks of these lengths; returns the channels.
    func play(_ lengths: Int...) -> [[Float]] { play(lengths) }

    func play(_ lengths: [Int]) -> [[Float]] {
        var heard = [[Float]](repeating: [], count: channels)
        for length in lengths {
            var block = TapBlock(run: TapRun(sampleRate: 48_000))
            block.position = position
            block.frames = UInt32(length)
            block.transport = transport
            let outputs = PortMemory(channels: channels, frames: length)
            realtime { _ = plan.pointer.pointee.render(inputs, outputs.buffers, from: 0, &block) }
            for (channel, signal) in outputs.signals.enumerated() { heard[channel] += signal }
            position += UInt64(length)
            transport = transport?.advanced(by: length)
        }
        return heard
    }

    func isReady(forTransportFrame frame: UInt32) -> Bool {
        realtime { plan.pointer.pointee.isReady(forTransportFrame: frame) }
    }

    /// The frame of the transport for which the worker is to make a cue; −1 for none.
    var wanted: Int { counters.pointer.pointee.wantedTransportFrame.load(ordering: .relaxed) }
    var played: UInt64 { counters.pointer.pointee.playedFrames.load(ordering: .relaxed) }
    var underrunFrames: UInt64 { counters.pointer.pointee.underrunFrames.load(ordering: .relaxed) }
    var start: Int { counters.pointer.pointee.startPosition.load(ordering: .relaxed) }
    var end: Int { counters.pointer.pointee.endPosition.load(ordering: .relaxed) }
}

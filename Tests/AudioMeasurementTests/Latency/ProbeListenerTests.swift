import AudioMeasurement
import AudioRealtime
import Synchronization
import TestSupport
import Testing
import Threads

/// An audio thread in a hurry: whole rounds of silence, as fast as it can.
private final class Flood: @unchecked Sendable {
    // Sendable: one thread calls `run`.
    private let unit: Cell<RenderUnit>
    private let isOver = Atomic<Bool>(false)

    init(samples: consuming FrameProducer, records: consuming Producer<CycleRecord>) {
        let capture = Cell(
            ProbeCapture(samples: samples, records: records, droppedFrames: Cell(Atomic<UInt64>(0))))
        unit = Cell(RenderUnit(.probe(nil, capture.pointer), keeping: [capture], inputs: 1))
    }

    func run() {
        var frameTime: UInt32 = 0
        while !isOver.load(ordering: .relaxed) {
            unit.pointer.pointee.render(frames: 1024, frameTime: frameTime, entryNanoseconds: 0)
            frameTime &+= 1024
        }
    }

    func stop() { isOver.store(true, ordering: .relaxed) }
}

@Suite("A probe's listener") struct ProbeListenerTests {
    private let signal = ProbeSignal(lengthFrames: 1 << 10)

    @Test func `begins again with each other period, and not where it is told the same one again`() {
        let ring = FrameRing(channels: 1, capacity: 1 << 12)
        let records = Ring<CycleRecord>(capacity: 16)
        let listener = ProbeListener(
            ProbeGathering(samples: ring.consumer, records: records.consumer, signal: signal))
        func restarts(toldPeriods periods: Int...) -> Int {
            for frames in periods { listener.notePeriod(frames) }
            listener.collect()
            return listener.ask { $0.restarts }
        }
        #expect(restarts(toldPeriods: 128) == 0, "it has not begun")
        listener.begin(periodFrames: 64)
        #expect(restarts(toldPeriods: 64, 64) == 0, "as each client of a probe is told when it is activated")
        #expect(restarts(toldPeriods: 128, 128) == 1)
        #expect(restarts(toldPeriods: 64, 128) == 2, "what lay between is void as well")
        #expect(restarts() == 2)
    }

    @Test func `answers where it hears more than it has time to estimate`() throws {
        let ring = FrameRing(channels: 1, capacity: 1 << 14)
        let records = Ring<CycleRecord>(capacity: 64)
        let flood = Flood(samples: ring.producer, records: records.producer)
        let listener = ProbeListener(
            ProbeGathering(samples: ring.consumer, records: records.consumer, signal: signal))
        listener.begin(periodFrames: 1024)
        let gatherer = try TimerWorker("listener", every: ProbeListener.wakeNanoseconds) { _ in listener.collect() }
        let answers = Cell(Atomic<Int>(0))
        let workers = [
            try Worker("flood") { flood.run() },
            try Worker("asker") {
                // The first rounds come before the first question; after 20 s the test fails all the same.
                var patience = 20_000
                while patience > 0, listener.ask({ $0.estimators[0].blocks }) < 3 {
                    patience -= 1
                    MonotonicClock.sleep(milliseconds: 1)
                }
                for _ in 0..<10 {
                    _ = listener.ask { $0.heardFrames }
                    answers.pointer.pointee.add(1, ordering: .relaxed)
                }
            },
        ]
        defer {
            flood.stop()
            gatherer.stop()
            for worker in workers { worker.join() }
        }
        try waitUntil("it has answered") { answers.pointer.pointee.load(ordering: .relaxed) == 10 }
    }
}

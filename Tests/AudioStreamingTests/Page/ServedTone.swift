import AudioFiles
import Foundation
import Synchronization
import TestSupport
import Threads

@testable import AudioStreaming

/// A server of a page with a tone that goes on in the world's time until the object goes, without a unit.
final class ServedTone {
    let server: PageServer
    private let state: State
    private let worker: Worker

    private final class State: Sendable {
        let isOver = Atomic<Bool>(false)
        let lateNanoseconds = Atomic<UInt64>(0)
    }

    /// How long the tone has stood still in all, because it was kept from its time.
    var lateNanoseconds: UInt64 { state.lateNanoseconds.load(ordering: .relaxed) }

    /// - Parameter gapEverySeconds: how often a tenth of a second is missing; 0 for never.
    init(_ configuration: PageConfiguration = PageConfiguration(PageAddress(port: 0)), gapEverySeconds: Double = 0)
        throws
    {
        let server = try PageServer(configuration)
        let sink = server.begin(sampleRate: 48000, channels: 2)
        let state = State()
        self.server = server
        self.state = state
        worker = try Worker("tone") {
            var frame = 0
            var nextGap = gapEverySeconds > 0 ? Int(gapEverySeconds * 48000) : .max
            var start = MonotonicClock.nanoseconds()
            func wait(_ frame: Int) {
                let (now, due) = (MonotonicClock.nanoseconds(), start + UInt64(frame) * 1_000_000_000 / 48000)
                // One that was kept from its time goes on from now: all at once would be more than a queue holds.
                if now > due + 100_000_000 {
                    start += now - due
                    state.lateNanoseconds.add(now - due, ordering: .relaxed)
                }
                while MonotonicClock.nanoseconds() < start + UInt64(frame) * 1_000_000_000 / 48000 { usleep(500) }
            }
            while !state.isOver.load(ordering: .relaxed) {
                let wall = Int64(frame) * 1_000_000_000 / 48000
                if frame >= nextGap {
                    try? sink.gap(nanoseconds: 100_000_000, cause: "test", wallNanoseconds: wall)
                    frame += 4800
                    nextGap = frame + Int(gapEverySeconds * 48000)
                }
                let samples = (frame..<frame + 240).flatMap { index in
                    let sample = 0.5 * sin(2 * Float.pi * Float(index % 48) / 48)
                    return [sample, sample]
                }
                let buffer = PCMBuffer(StreamFormat(sampleRate: 48000, channels: 2), samples)
                try? sink.send(buffer, wallNanoseconds: wall)
                frame += 240
                wait(frame)
            }
        }
    }

    deinit {
        state.isOver.store(true, ordering: .relaxed)
        worker.join()
        server.stop(within: 0)
    }

    /// Runs a client of `Receivers/page.py`.
    func client(_ words: String..., in folder: TemporaryFolder) throws -> Receiver {
        try Receiver(
            "/usr/bin/python3", [Receiver.script("page.py"), "\(server.address.port)"] + words, folder: folder)
    }
}

import AudioFiles
import Foundation
import Synchronization
import TestSupport
import Threads

@testable import AudioStreaming

/// A server of a page with a tone that goes on in the world's time until the object goes, without a unit.
final class ServedTone {
    let server: PageServer
    private let isOver: Flag
    private let worker: Worker

    private final class Flag: Sendable { let value = Atomic<Bool>(false) }

    /// - Parameter gapEverySeconds: how often a tenth of a second is missing; 0 for never.
    init(_ configuration: PageConfiguration = PageConfiguration(PageAddress(port: 0)), gapEverySeconds: Double = 0)
        throws
    {
        let server = try PageServer(configuration)
        let sink = server.begin(sampleRate: 48000, channels: 2)
        let isOver = Flag()
        self.server = server
        self.isOver = isOver
        worker = try Worker("tone") {
            var frame = 0
            var nextGap = gapEverySeconds > 0 ? Int(gapEverySeconds * 48000) : .max
            let start = MonotonicClock.nanoseconds()
            func wait(_ frame: Int) {
                while MonotonicClock.nanoseconds() < start + UInt64(frame) * 1_000_000_000 / 48000 { usleep(500) }
            }
            while !isOver.value.load(ordering: .relaxed) {
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
        isOver.value.store(true, ordering: .relaxed)
        worker.join()
        server.stop(within: 0)
    }

    /// Runs a client of `Receivers/page.py`.
    func client(_ words: String..., in folder: TemporaryFolder) throws -> Receiver {
        try Receiver(
            "/usr/bin/python3", [Receiver.script("page.py"), "\(server.address.port)"] + words, folder: folder)
    }
}

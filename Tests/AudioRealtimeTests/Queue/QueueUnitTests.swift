import AudioDSP
import AudioRealtime
import TestSupport
import Testing

extension QueueRig {
    /// Cycles of numbered frames from `start` on, the worker taking no time; returns what came out.
    func run(cycles: Int, of frames: Int, from start: Int = 0, works: (Int) -> Bool = { _ in true }) -> [Float] {
        var heard: [Float] = []
        for number in 0..<cycles {
            let first = start + number * frames
            heard += cycle([numbered(first..<(first + frames))])[0]
            if works(number) { work() }
        }
        return heard
    }
}

/// Whether the frames are in order; what is silent between them does not matter.
private func isInOrder(_ heard: [Float]) -> Bool {
    let sound = heard.filter { $0 != 0 }
    return zip(sound, sound.dropFirst()).allSatisfy { $0 < $1 }
}

@Suite("A queue")
struct QueueUnitTests {
    private static let lengths = [1, 2, 7, 16, 48, 63, 64, 65, 96, 128, 192, 256, 441]
    private static let periods = [1, 16, 60, 63, 64, 128, 256]

    @Test("whose worker takes no time loses nothing where the formula says so, and something where not")
    func formulaHolds() {
        var feasible = 0
        var infeasible = 0
        for frames in Self.lengths {
            for count in 2...6 {
                for period in Self.periods {
                    let rig = QueueRig(frames: frames, count: count, recordCapacity: 1)
                    // The rests of a buffer's end in the period have all occurred after `frames` cycles.
                    let cycles = frames + 3 * (rig.geometry.latencyFrames / period + 2)
                    let heard = rig.run(cycles: cycles, of: period)
                    let size = "\(count) buffers of \(frames) frames on periods of \(period)"
                    if rig.geometry.isFeasible(periodFrames: period) {
                        feasible += 1
                        let latency = (count - 1) * frames
                        let silence = [Float](repeating: 0, count: min(latency, heard.count))
                        #expect(heard == silence + numbered(0..<(heard.count - silence.count)), "\(size)")
                        #expect(rig.inserted == 0 && rig.dropped == 0, "\(size)")
                    } else {
                        infeasible += 1
                        #expect(rig.inserted > 0, "\(size)")
                        #expect(isInOrder(heard), "\(size)")
                    }
                }
            }
        }
        #expect(feasible > 100 && infeasible > 100)
    }

    @Test("is named the least number and the least length of buffers that are enough")
    func leastSizes() {
        for frames in Self.lengths {
            for count in 2...6 {
                for period in Self.periods {
                    let geometry = QueueGeometry(bufferFrames: frames, bufferCount: count)
                    let enough = geometry.leastCount(periodFrames: period)
                    #expect(QueueGeometry(bufferFrames: frames, bufferCount: enough).isFeasible(periodFrames: period))
                    let fewer = QueueGeometry(bufferFrames: frames, bufferCount: enough - 1)
                    #expect(enough == 2 || !fewer.isFeasible(periodFrames: period))
                    let length = geometry.leastFrames(periodFrames: period)
                    for shorter in frames..<length {
                        let other = QueueGeometry(bufferFrames: shorter, bufferCount: count)
                        #expect(!other.isFeasible(periodFrames: period))
                    }
                    let longer = QueueGeometry(bufferFrames: length, bufferCount: count)
                    #expect(longer.isFeasible(periodFrames: period))
                }
            }
        }
    }

    @Test("of numbers that no queue has is computed as of the nearest that there can be")
    func impossibleSizes() {
        let numbers = [Int.min, -1, 0, 1, 64, .max]
        for frames in numbers {
            for count in numbers {
                let geometry = QueueGeometry(bufferFrames: frames, bufferCount: count)
                #expect(geometry.latencyFrames >= 1)
                for period in numbers {
                    let least = geometry.leastCount(periodFrames: period)
                    #expect(least >= 2)
                    if geometry.isFeasible(periodFrames: period) {
                        #expect(geometry.leastFrames(periodFrames: period) >= 1)
                    }
                }
            }
        }
        #expect(QueueGeometry(bufferFrames: -5, bufferCount: 0).leastFrames(periodFrames: 64) == 64)
        #expect(QueueGeometry(bufferFrames: .max, bufferCount: 1).leastFrames(periodFrames: 48) >= 1 << 30)
        #expect(QueueGeometry(bufferFrames: 1, bufferCount: 2).leastFrames(periodFrames: .max) == 1 << 20)
    }

    @Test("that misses its worker inserts silence, drops as much input, and is as old as before afterwards")
    func lossIsMadeUpFor() {
        for (frames, count, period) in [(64, 3, 64), (100, 4, 64), (48, 3, 16), (64, 3, 48), (441, 3, 256)] {
            for pause in [1, 9, 60] {
                let rig = QueueRig(frames: frames, count: count)
                let heard = rig.run(cycles: 400, of: period) { !(100..<(100 + pause)).contains($0) }
                let latency = rig.geometry.latencyFrames
                let size = "\(count) buffers of \(frames) on \(period), \(pause) cycles missed"
                #expect(rig.inserted == rig.dropped, "\(size)")
                #expect(isInOrder(heard), "\(size)")
                #expect(heard.dropFirst(latency).count { $0 == 0 } == rig.inserted, "\(size)")
                let last = heard.suffix(10 * period)
                #expect(Array(last) == numbered((400 * period - 10 * period - latency)..<(400 * period - latency)))
                // What is missing of the numbers is what was dropped.
                let numbers = Set(heard.map { Int($0) })
                let missing = (1...(400 * period - latency)).count { !numbers.contains($0) }
                #expect(missing == rig.dropped, "\(size)")
                if pause == 60 { #expect(rig.inserted > 0, "\(size)") }
            }
        }
    }

    @Test("whose worker comes at random keeps the order and counts every frame")
    func randomWorker() {
        var generator = SeededGenerator(seed: 310)
        for _ in 0..<30 {
            let frames = Int.random(in: 1...200, using: &generator)
            let count = Int.random(in: 2...6, using: &generator)
            let rig = QueueRig(frames: frames, count: count, recordCapacity: 1)
            var fed = 0
            var heard: [Float] = []
            for _ in 0..<200 {
                let period = Int.random(in: 0...300, using: &generator)
                heard += rig.cycle([numbered(fed..<(fed + period))])[0]
                fed += period
                rig.work(atMost: Int.random(in: 0...4, using: &generator))
                if Int.random(in: 0..<20, using: &generator) == 0 { rig.flush() }
            }
            #expect(isInOrder(heard))
            #expect(heard.dropFirst(rig.geometry.latencyFrames).count { $0 == 0 } == rig.inserted)
            // Once more than the latency with a good worker, and all is as at the start.
            for _ in 0..<(40 + 4 * count * frames / 64) {
                heard += rig.cycle([numbered(fed..<(fed + 64))])[0]
                fed += 64
                rig.work()
            }
            let sound = Set(heard.map { Int($0) }).subtracting([0])
            let latest = sound.max() ?? 0
            #expect((1...latest).count { !sound.contains($0) } <= rig.dropped)
            if rig.geometry.isFeasible(periodFrames: 64) {
                #expect(rig.inserted == rig.dropped)
                #expect(latest == fed - rig.geometry.latencyFrames)
            }
        }
    }

    @Test("takes periods of any length, changing ones and such as are longer than it was made for")
    func changingPeriods() {
        let rig = QueueRig(frames: 500, count: 40, longest: 20_000)
        var fed = 0
        var heard: [Float] = []
        for period in [64, 0, 1, 8192, 63, 8193, 17_000, 16, 1024, 9000] {
            heard += rig.cycle([numbered(fed..<(fed + period))])[0]
            fed += period
            rig.work()
        }
        let latency = 39 * 500
        #expect(heard == [Float](repeating: 0, count: latency) + numbered(0..<(fed - latency)))
        #expect(rig.inserted == 0 && rig.dropped == 0)
    }

    @Test("that is flushed calls the worker with what there is, and loses and delays nothing")
    func flushKeepsTheStream() {
        let rig = QueueRig(frames: 100, count: 3)
        var heard = rig.run(cycles: 5, of: 64)
        _ = rig.takeBuffers()
        rig.flush()
        heard += rig.run(cycles: 1, of: 64, from: 5 * 64)
        let short = rig.takeBuffers()
        // 320 frames were taken, of which 300 were handed over already.
        #expect(short.first?.frames == 20)
        #expect(short.first?.position == 300)
        heard += rig.run(cycles: 40, of: 64, from: 6 * 64)
        #expect(heard == [Float](repeating: 0, count: 200) + numbered(0..<(46 * 64 - 200)))
        #expect(rig.inserted == 0 && rig.dropped == 0)
    }

    @Test("that is flushed without end loses nothing for it")
    func manyFlushes() {
        for period in [16, 63, 64, 200] {
            let rig = QueueRig(frames: 100, count: 4)
            var heard: [Float] = []
            for cycle in 0..<200 {
                rig.flush()
                heard += rig.run(cycles: 1, of: period, from: cycle * period)
            }
            #expect(heard == [Float](repeating: 0, count: 300) + numbered(0..<(200 * period - 300)))
        }
    }

    @Test("with nothing in the buffer has nothing to flush")
    func emptyFlush() {
        let rig = QueueRig(frames: 64, count: 3)
        _ = rig.run(cycles: 3, of: 64)
        _ = rig.takeBuffers()
        rig.flush()
        _ = rig.run(cycles: 2, of: 64, from: 192)
        #expect(rig.takeBuffers().map(\.frames) == [64, 64])
    }

    @Test("that drains plays what it has taken to the last frame, takes no more, and then says so")
    func drains() {
        for (frames, count, period) in [(100, 3, 64), (64, 3, 64), (441, 4, 256), (1000, 2, 1000), (7, 30, 64)] {
            let rig = QueueRig(frames: frames, count: count)
            var heard = rig.run(cycles: 20, of: period)
            rig.drain()
            var more = 0
            while !rig.isDrained && more < 1000 {
                heard += rig.run(cycles: 1, of: period, from: (20 + more) * period)
                more += 1
            }
            let latency = rig.geometry.latencyFrames
            #expect(rig.isDrained)
            let end = latency + 20 * period
            #expect(Array(heard.prefix(end)) == [Float](repeating: 0, count: latency) + numbered(0..<(20 * period)))
            #expect(heard.dropFirst(end).allSatisfy { $0 == 0 })
            // Not before the cycle is over that played the last frame.
            #expect(heard.count >= end + period)
            #expect(rig.inserted == 0 && rig.dropped == 0)
        }
    }

    @Test("that drains waits for a worker that is late")
    func drainsLate() {
        let rig = QueueRig(frames: 64, count: 3)
        _ = rig.run(cycles: 10, of: 64)
        _ = rig.run(cycles: 1, of: 64, from: 640) { _ in false }
        rig.drain()
        let silent = rig.run(cycles: 20, of: 64, from: 704) { _ in false }
        #expect(!rig.isDrained)
        #expect(silent.suffix(64).allSatisfy { $0 == 0 })
        #expect(rig.inserted > 0)
        rig.work()
        let rest = rig.run(cycles: 4, of: 64, from: 5000)
        #expect(rest.max() == 704)
        #expect(rig.isDrained)
    }

    @Test("begins again after a reset: with silence, nothing of before, and not as drained")
    func resets() {
        let rig = QueueRig(frames: 100, count: 3)
        _ = rig.run(cycles: 10, of: 64) { _ in false }
        rig.flush()
        rig.drain()
        _ = rig.run(cycles: 10, of: 64) { _ in false }
        rig.reset()
        #expect(!rig.isDrained)
        #expect(rig.work() == 0)
        let (inserted, dropped) = (rig.inserted, rig.dropped)
        let heard = rig.run(cycles: 50, of: 64, from: 10_000)
        #expect(heard == [Float](repeating: 0, count: 200) + numbered(10_000..<(10_000 + 50 * 64 - 200)))
        #expect(rig.inserted == inserted && rig.dropped == dropped, "the counts go on from where they were")
    }

    @Test("tells for what a freewheeling server must wait")
    func awaitsWorker() {
        let rig = QueueRig(frames: 64, count: 3)
        #expect(!rig.awaitsWorker)
        _ = rig.cycle([numbered(0..<64)])
        #expect(rig.handed == 1)
        #expect(rig.awaitsWorker)
        rig.work()
        #expect(!rig.awaitsWorker)
        _ = rig.cycle([numbered(64..<192)])
        #expect(rig.handed == 2)
        rig.work(atMost: 1)
        #expect(rig.awaitsWorker)
        rig.work()
        #expect(!rig.awaitsWorker)
    }

    @Test("keeps 16-bit samples as they are, in each channel its own")
    func integersPass() {
        var generator = SeededGenerator(seed: 311)
        let rig = QueueRig(frames: 100, count: 3, channels: 3, format: .int16)
        var fed = [[Float]](repeating: [], count: 3)
        var heard = [[Float]](repeating: [], count: 3)
        for _ in 0..<30 {
            let signals = (0..<3).map { _ in
                (0..<64).map { _ in Float(Int.random(in: -32_768...32_767, using: &generator)) / 32_768 }
            }
            for (channel, output) in rig.cycle(signals).enumerated() {
                fed[channel] += signals[channel]
                heard[channel] += output
            }
            rig.work()
        }
        for channel in 0..<3 {
            #expect(Array(heard[channel].dropFirst(200)) == Array(fed[channel].dropLast(200)))
        }
    }

    @Test("runs the chain on the worker, with what it is told meanwhile, and meters what comes of it")
    func runsTheChain() {
        var parameters = ShaperSetting()
        parameters.shape = .cubic
        parameters.gain = 0.5
        let rig = QueueRig(frames: 64, count: 3, parameters: parameters)
        let tone = [Float](repeating: 0.8, count: 64)
        for _ in 0..<5 {
            _ = rig.cycle([tone])
            rig.work()
        }
        let heard = rig.cycle([tone])[0]
        #expect(heard.allSatisfy { abs(Double($0) - formula(0.8, parameters)) < 1e-6 })
        #expect(abs(Double(rig.meters.totals(0).peak) - formula(0.8, parameters)) < 1e-6)
        #expect(rig.meters.totals(0).frames == 5 * 64)
        rig.send(.mute(true))
        rig.work()
        for _ in 0..<3 {
            _ = rig.cycle([tone])
            rig.work()
        }
        #expect(rig.cycle([tone])[0].allSatisfy { $0 == 0 })
    }

    @Test("lets a user work on the buffers in the chain's place")
    func userProcess() {
        let rig = QueueRig(frames: 50, count: 4, channels: 2) { buffer in
            for channel in 0..<buffer.channels {
                let position = buffer.position
                buffer.withSamples(of: channel) { samples in
                    for frame in samples.indices { samples[frame] += Float(Int(position) + frame + channel) }
                }
            }
        }
        var heard: [[Float]] = [[], []]
        for _ in 0..<10 {
            for (channel, output) in rig.cycle([numbered(0..<64), numbered(0..<64)]).enumerated() {
                heard[channel] += output
            }
            rig.work()
        }
        for channel in 0..<2 {
            let wanted = (0..<490).map { Float($0 % 64 + 1 + $0 + channel) }
            #expect(Array(heard[channel].dropFirst(150)) == wanted)
            #expect(rig.meters.totals(channel).frames == 600)
        }
    }

    @Test("replaces what is broken in the input by silence, and counts it")
    func brokenInput() {
        let rig = QueueRig(frames: 64, count: 3)
        var signal = numbered(0..<64)
        signal[10] = .nan
        signal[63] = .infinity
        _ = rig.cycle([signal])
        rig.work()
        _ = rig.cycle([signal])
        rig.work()
        signal[10] = 0
        signal[63] = 0
        #expect(rig.cycle([signal])[0] == signal)
        #expect(rig.unit.pointer.pointee.counters.nonFinite.load(ordering: .relaxed) == 4)
    }

    @Test(
        "notes how much of the cycle lies behind a buffer's end",
        arguments: [(480, 64), (96, 64), (128, 64), (7, 64)])
    func restIsNoted(_ frames: Int, _ period: Int) {
        let rig = QueueRig(frames: frames, count: 64)
        _ = rig.run(cycles: 40, of: period)
        let records = rig.takeBuffers()
        #expect(records.count == 40 * period / frames)
        let ends = (1...records.count).map { $0 * frames }
        #expect(records.map { Int($0.restFrames) } == ends.map { (period - $0 % period) % period })
    }

    @Test("tells its nodes whether the server freewheels")
    func freewheeling() {
        let rig = QueueRig(frames: 64, count: 4)
        for isFreewheeling in [false, true, true, false] {
            _ = rig.cycle([numbered(0..<64)], isFreewheeling: isFreewheeling)
            rig.work()
        }
        #expect(rig.takeBuffers().map(\.isFreewheeling) == [false, true, true, false])
    }

    @Test("notes each cycle and each call of the worker, and counts the notes that are lost")
    func notesEverything() {
        let rig = QueueRig(frames: 100, count: 3)
        let start = rig.frameTime
        _ = rig.run(cycles: 6, of: 64)
        let cycles = rig.takeCycles()
        #expect(cycles.map(\.position) == [0, 64, 128, 192, 256, 320])
        #expect(cycles.map(\.frames) == [64, 64, 64, 64, 64, 64])
        // The frame clock wraps meanwhile.
        let times: [UInt32] = [0, 64, 128, 192, 256, 320]
        #expect(cycles.map(\.frameTime) == times.map { start &+ $0 })
        #expect(cycles.allSatisfy { $0.exitNanoseconds == $0.entryNanoseconds + 1000 })
        let buffers = rig.takeBuffers()
        #expect(buffers.map(\.position) == [0, 100, 200])
        #expect(buffers.map(\.frames) == [100, 100, 100])
        #expect(buffers.map(\.frameTime) == [start, start &+ 100, start &+ 200])
        #expect(buffers.map(\.lostRecords) == [0, 0, 0])

        let deaf = QueueRig(frames: 64, count: 3, recordCapacity: 2)
        _ = deaf.run(cycles: 10, of: 64)
        _ = (deaf.takeCycles(), deaf.takeBuffers())
        _ = deaf.run(cycles: 1, of: 64, from: 640)
        #expect(deaf.takeCycles().map(\.lostRecords) == [8])
        #expect(deaf.takeBuffers().map(\.lostRecords) == [8])
    }
}

import AudioDSP
import AudioRealtime
import TestSupport
import Testing

@Suite("A ring")
struct RingTests {
    private static let capacities = [1, 2, 3, 4, 5, 7, 8, 9, 100]

    @Test("does what an array does, over random operations", arguments: capacities)
    func matchesAnArray(_ capacity: Int) {
        var generator = SeededGenerator(seed: 150 + UInt64(capacity))
        var ring = Ring<Int>(capacity: capacity)
        var model: [Int] = []
        var matches = true
        for number in 0..<20_000 {
            if Bool.random(using: &generator) {
                let fits = model.count < capacity
                if fits { model.append(number) }
                matches = matches && ring.producer.push(number) == fits
            } else {
                let oldest = model.isEmpty ? nil : model.removeFirst()
                matches = matches && ring.consumer.pop() == oldest
            }
        }
        #expect(matches)
    }

    @Test("refuses when it is full, and holds what it held", arguments: capacities)
    func fullRingRefuses(_ capacity: Int) {
        var ring = Ring<Int>(capacity: capacity)
        // Around the memory several times; each round begins one place further on.
        for round in 0..<(3 * capacity) {
            let numbers = (0..<capacity).map { round * 1000 + $0 }
            var accepted: [Bool] = []
            for number in numbers + [-1, -2] { accepted.append(ring.producer.push(number)) }
            #expect(accepted == numbers.map { _ in true } + [false, false])
            var popped: [Int] = []
            while let number = ring.consumer.pop() { popped.append(number) }
            #expect(popped == numbers)
            let fits = ring.producer.push(-3)
            let shifted = ring.consumer.pop()
            #expect(fits)
            #expect(shifted == -3)
        }
    }
}

@Suite("A ring of frames")
struct FrameRingTests {
    @Test("does what arrays do, over random writes and reads", arguments: [1, 2, 3, 5, 8, 100, 1000], [1, 3])
    func matchesArrays(_ capacity: Int, _ channels: Int) {
        var generator = SeededGenerator(seed: 160 + UInt64(capacity))
        var ring = FrameRing(channels: channels, capacity: capacity)
        var model = [[Float]](repeating: [], count: channels)
        var matches = true
        for _ in 0..<1000 {
            let length = Int.random(in: 0...(capacity + 1), using: &generator)
            let fits = model[0].count + length <= capacity
            matches = matches && ring.producer.hasRoom(for: length) == fits
            if fits {
                for channel in 0..<channels {
                    var signal = generator.signal(count: length)
                    model[channel] += signal
                    signal.withUnsafeMutableBufferPointer { buffer in
                        guard let base = buffer.baseAddress else { return }
                        ring.producer.write(Samples(base, count: length), channel: channel)
                    }
                }
                ring.producer.publish(length)
            }
            matches = matches && ring.consumer.available(wanting: capacity) == model[0].count
            let wanted = Int.random(in: 0...model[0].count, using: &generator)
            var frames = [Float](repeating: 777, count: (wanted + 1) * channels)
            frames.withUnsafeMutableBufferPointer { buffer in
                guard let base = buffer.baseAddress else { return }
                ring.consumer.read(interleavedInto: Samples(base, count: wanted * channels))
            }
            let interleaved = (0..<wanted).flatMap { frame in model.map { $0[frame] } }
            matches = matches && frames == interleaved + [Float](repeating: 777, count: channels)
            // What was read is there until it is released, as a whole or a channel at a time.
            for channel in 0..<channels {
                // A frame more than is read, to see that the read stops in time.
                var target = [Float](repeating: 777, count: wanted + 1)
                target.withUnsafeMutableBufferPointer { buffer in
                    guard let base = buffer.baseAddress else { return }
                    ring.consumer.read(into: Samples(base, count: wanted), channel: channel)
                }
                matches = matches && target == model[channel].prefix(wanted) + [777]
                model[channel].removeFirst(wanted)
            }
            ring.consumer.release(wanted)
        }
        #expect(matches)
    }

    @Test("shows nothing of what was written but not published")
    func onlyPublishedFramesAreSeen() {
        var ring = FrameRing(channels: 1, capacity: 4)
        var signal: [Float] = [1, 2, 3]
        signal.withUnsafeMutableBufferPointer { buffer in
            guard let base = buffer.baseAddress else { return }
            ring.producer.write(Samples(base, count: 3), channel: 0)
        }
        let before = ring.consumer.available(wanting: 4)
        #expect(before == 0)
        ring.producer.publish(2)
        let after = ring.consumer.available(wanting: 4)
        #expect(after == 2)
    }
}

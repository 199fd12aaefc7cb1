import AudioDSP
import AudioRealtime
import TestSupport
import Testing

/// Two real threads at the ends of a ring. The thread sanitizer runs these too.
@Suite("Between two threads")
struct RingThreadTests {
    @Test("a ring of three hands values over from thread to thread, each once and in order", arguments: [1, 3])
    func valuesArriveInOrder(_ capacity: Int) {
        // On a busy machine each change of threads takes milliseconds.
        let count = capacity == 1 ? 20_000 : 50_000
        let ring = Ring<Int>(capacity: capacity)
        let producer = Cell(ring.producer)
        var consumer = ring.consumer
        let writer = TestThread {
            var patience = Patience()
            var next = 0
            while next < count {
                if producer.pointer.pointee.push(next) {
                    next += 1
                    patience.progress()
                } else if !patience.wait() {
                    return
                }
            }
        }
        var patience = Patience()
        var expected = 0
        var firstWrong: Int?
        while expected < count {
            if let value = consumer.pop() {
                if value != expected && firstWrong == nil { firstWrong = value }
                expected += 1
                patience.progress()
            } else if !patience.wait() {
                break
            }
        }
        writer.join()
        #expect(expected == count, "a value that was pushed did not arrive for 20 s")
        #expect(firstWrong == nil)
        let more = consumer.pop()
        #expect(more == nil)
    }

    /// The ring's own copies go through the runtime, where the thread sanitizer does not look. Plain memory that is
    /// handed over by number does show it an order that is too weak, at either end.
    @Test("a push publishes all that was written before it, and a pop gives back all that was read before it")
    func ringsOrderOtherMemory() {
        let count = 20_000
        let capacity = 3
        let ring = Ring<Int>(capacity: capacity)
        let producer = Cell(ring.producer)
        var consumer = ring.consumer
        // When a push has found room, all before the number popped last were read: that many places and two more
        // are in use at once.
        let places = capacity + 2
        nonisolated(unsafe) let memory = UnsafeMutablePointer<Int>.allocate(capacity: places)
        defer { memory.deallocate() }
        memory.initialize(repeating: -1, count: places)
        let writer = TestThread {
            var patience = Patience()
            for number in 0..<count {
                memory[number % places] = number
                while !producer.pointer.pointee.push(number) {
                    if !patience.wait() { return }
                }
                patience.progress()
            }
        }
        var patience = Patience()
        var expected = 0
        var wrong = 0
        while expected < count {
            if let number = consumer.pop() {
                if memory[number % places] != number { wrong += 1 }
                expected += 1
                patience.progress()
            } else if !patience.wait() {
                break
            }
        }
        writer.join()
        #expect(expected == count, "a value that was pushed did not arrive for 20 s")
        #expect(wrong == 0)
    }

    @Test("a ring of frames hands a million frames over, whole and in order", arguments: [3, 700])
    func framesArriveInOrder(_ capacity: Int) {
        let count = capacity == 3 ? 50_000 : 1_000_000
        let ring = FrameRing(channels: 2, capacity: capacity)
        let producer = Cell(ring.producer)
        var consumer = ring.consumer
        let writer = TestThread {
            var generator = SeededGenerator(seed: 170)
            var block = [Float](repeating: 0, count: capacity)
            var patience = Patience()
            var next = 0
            while next < count {
                let length = min(count - next, Int.random(in: 1...capacity, using: &generator))
                while !producer.pointer.pointee.hasRoom(for: length) {
                    if !patience.wait() { return }
                }
                for channel in 0..<2 {
                    // The second channel counts downwards, so that a mix-up of the two shows.
                    for index in 0..<length { block[index] = Float(channel == 0 ? next + index : -next - index) }
                    block.withUnsafeMutableBufferPointer { buffer in
                        guard let base = buffer.baseAddress else { return }
                        producer.pointer.pointee.write(Samples(base, count: length), channel: channel)
                    }
                }
                producer.pointer.pointee.publish(length)
                patience.progress()
                next += length
            }
        }
        var block = [Float](repeating: 0, count: capacity)
        var patience = Patience()
        var expected = 0
        var wrong = 0
        while expected < count {
            let length = consumer.available(wanting: capacity)
            if length == 0 {
                if !patience.wait() { break }
                continue
            }
            if length > capacity {
                wrong += length
                break
            }
            for channel in 0..<2 {
                block.withUnsafeMutableBufferPointer { buffer in
                    guard let base = buffer.baseAddress else { return }
                    consumer.read(into: Samples(base, count: length), channel: channel)
                }
                for index in 0..<length {
                    let number = channel == 0 ? expected + index : -expected - index
                    if block[index] != Float(number) { wrong += 1 }
                }
            }
            consumer.release(length)
            patience.progress()
            expected += length
        }
        writer.join()
        #expect(expected == count, "a frame that was published did not arrive for 20 s")
        #expect(wrong == 0)
    }

    @Test("a tap's reader counts every frame as read or as dropped")
    func tapLosesNothingUncounted() {
        let device = FakeDevice(channels: 1, parameters: ShaperSetting(shape: .off), longest: 64)
        let reader = Cell(device.tap(channels: 1, capacity: 300))
        let isDone = Flag()
        let read = Count()
        let thread = TestThread {
            var target: [Float] = []
            var finished = false
            while true {
                let frames = reader.pointer.pointee.read(interleavedInto: &target, capacity: 100)
                read.add(frames)
                if frames == 0 && finished { return }
                // Looked at after the reading that found nothing, so that nothing can have come in between.
                finished = isDone.isSet
            }
        }
        for _ in 0..<5000 { device.cycle(frames: 64) }
        isDone.set()
        thread.join()
        #expect(read.value + Int(reader.pointer.pointee.droppedFrames) == 5000 * 64)
    }
}

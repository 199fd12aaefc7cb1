import AudioDSP
import AudioRealtime
import Glibc
import TestSupport
import Testing

@Suite("The readers of one tap")
struct SharedTapTests {
    /// Stands in for the audio thread: blocks of two channels, whose samples are their numbers, up and down.
    private final class Writer {
        let tap: Tap
        private var block = TapBlock(frames: 0)
        private let planes = Planes(channels: 2, capacity: 8192)
        /// What the plan that is rendered writes to.
        private var cell: Cell<TapWriter>

        init(_ tap: Tap) {
            self.tap = tap
            cell = tap.writer
        }

        /// The next plan is taken over.
        func takePlan() { cell = tap.writer }

        func setFreewheel(_ isOn: Bool) { block.isFreewheeling = isOn }

        func hasRoom(for frames: Int) -> Bool { cell.pointer.pointee.hasRoom(for: frames, blocks: 1) }

        @discardableResult
        func write(_ frames: Int) -> Bool {
            block.frames = UInt32(frames)
            for frame in 0..<frames {
                planes.run(0, count: frames)[frame] = Float(Int(block.position) + frame)
                planes.run(1, count: frames)[frame] = -Float(Int(block.position) + frame)
            }
            defer { block.position += UInt64(frames) }
            return cell.pointer.pointee.write(block, planes, planes.all)
        }
    }

    /// What a reader was given: positions and lengths, and whether each sample is the one that was written there.
    private struct Heard {
        var blocks: [TapBlock] = []
        var isTrue = true
        var frames: Int { blocks.reduce(0) { $0 + Int($1.frames) } }

        mutating func read(_ tap: inout TapReader, atMost count: Int = .max) {
            var target: [Float] = []
            var taken = 0
            while taken < count, let block = tap.readBlock(interleavedInto: &target) {
                taken += 1
                if let last = blocks.last { isTrue = isTrue && block.position >= last.position + UInt64(last.frames) }
                for frame in 0..<Int(block.frames) {
                    let number = Float(Int(block.position) + frame)
                    isTrue = isTrue && target[2 * frame] == number && target[2 * frame + 1] == -number
                }
                blocks.append(block)
            }
        }
    }

    @Test func `have each block, whichever of them reads first, and from the one on that came after they joined`() {
        let tap = Tap(channels: 2, capacity: 1000)
        let writer = Writer(tap)
        var (first, second, third) = (Heard(), Heard(), Heard())
        var early = tap.reader(capacity: 1000)
        var beside = tap.reader(capacity: 1000)
        for _ in 0..<3 { writer.write(64) }
        first.read(&early, atMost: 2)
        var late = tap.reader(capacity: 1000)
        for _ in 0..<2 { writer.write(32) }
        third.read(&late)
        second.read(&beside)
        first.read(&early)
        #expect(first.blocks.map(\.position) == [0, 64, 128, 192, 224])
        #expect(second.blocks == first.blocks)
        #expect(third.blocks.map(\.position) == [192, 224])
        #expect(first.isTrue && second.isTrue && third.isTrue)
        #expect(early.droppedFrames + beside.droppedFrames + late.droppedFrames == 0)
    }

    @Test func `lose frames of their own where they are slow, and those of all where none of them reads`() {
        let tap = Tap(channels: 2, capacity: 200)
        let writer = Writer(tap)
        var (quick, slow) = (Heard(), Heard())
        var quickReader = tap.reader(capacity: 200)
        var slowReader = tap.reader(capacity: 100)
        for _ in 0..<10 {
            #expect(writer.write(30))
            quick.read(&quickReader)
        }
        #expect(quick.frames == 300 && quickReader.droppedFrames == 0)
        #expect(slowReader.droppedFrames == 210)
        slow.read(&slowReader)
        #expect(slow.blocks.map(\.position) == [0, 30, 60])
        // Six find room in the ring, and four do not.
        for _ in 0..<10 { writer.write(30) }
        #expect(quickReader.droppedFrames == 120 && slowReader.droppedFrames == 330)
        quick.read(&quickReader)
        slow.read(&slowReader)
        // All six went through the queue of the slow one, which has room for three.
        #expect(quick.frames == 480 && slow.frames == 180)
        #expect(slowReader.droppedFrames == 420)
        var late = tap.reader(capacity: 100)
        #expect(late.droppedFrames == 0, "what was lost before it came is not its loss")
        var none = Heard()
        none.read(&late)
        #expect(none.blocks.isEmpty && quick.isTrue && slow.isTrue)
    }

    @Test func `leave with what was rendered so far, and the others go on`() {
        let tap = Tap(channels: 2, capacity: 100)
        let writer = Writer(tap)
        var (leaving, staying) = (Heard(), Heard())
        var leaver = tap.reader(capacity: 100)
        var stayer = tap.reader(capacity: 100)
        writer.write(40)
        let isLast = tap.close(leaver.number)
        #expect(!isLast)
        writer.write(40)
        staying.read(&stayer)
        for _ in 0..<4 { writer.write(30) }
        leaving.read(&leaver)
        #expect(leaving.blocks.map(\.position) == [0] && leaver.droppedFrames == 0)
        staying.read(&stayer)
        #expect(staying.frames == 170 && stayer.droppedFrames == 30)
        let isLastNow = tap.close(stayer.number)
        #expect(isLastNow)
        #expect(stayer.droppedFrames == 30)
        // Nobody hears this, and nobody misses it.
        for _ in 0..<4 { writer.write(30) }
        #expect(stayer.droppedFrames == 30)
    }

    @Test
    func `get a deeper ring where one of them asks for it, without a seam, whenever the plan with it is taken over`() {
        let tap = Tap(channels: 2, capacity: 100)
        let writer = Writer(tap)
        var (first, second) = (Heard(), Heard())
        var shallow = tap.reader(capacity: 100)
        writer.write(50)
        // The audio thread may never see the second of three rings.
        let between = tap.reader(capacity: 150)
        var deep = tap.reader(capacity: 1000)
        writer.write(50)
        writer.takePlan()
        for _ in 0..<15 { #expect(writer.write(60)) }
        second.read(&deep)
        first.read(&shallow)
        #expect(second.frames == 950 && second.blocks.first?.position == 50 && deep.droppedFrames == 0)
        #expect(first.blocks.map(\.position) == [0, 50], "its queue holds no more")
        #expect(shallow.droppedFrames == 900 && between.droppedFrames == 840)
        #expect(first.isTrue && second.isTrue)
    }

    @Test func `make a freewheeling server wait for the fullest of them, and not for one that is gone`() {
        let tap = Tap(channels: 2, capacity: 100)
        let writer = Writer(tap)
        writer.setFreewheel(true)
        var (quick, slow) = (Heard(), Heard())
        var quickReader = tap.reader(capacity: 100)
        do {
            var slowReader = tap.reader(capacity: 100)
            writer.write(60)
            quick.read(&quickReader)
            #expect(!writer.hasRoom(for: 60) && writer.hasRoom(for: 40))
            slow.read(&slowReader)
            #expect(writer.hasRoom(for: 60))
            writer.write(60)
            // In a pause nothing comes to the deeper ring, and nobody must wait for that.
            let deep = tap.reader(capacity: 300)
            writer.takePlan()
            #expect(!writer.hasRoom(for: 41) && writer.hasRoom(for: 40))
            quick.read(&quickReader)
            writer.write(1)
            quick.read(&quickReader)
            #expect(!writer.hasRoom(for: 40) && writer.hasRoom(for: 39))
            slow.read(&slowReader)
            #expect(writer.hasRoom(for: 100))
            #expect(deep.droppedFrames == 0 && slowReader.droppedFrames == 0)
        }
        writer.write(90)
        #expect(!writer.hasRoom(for: 20))
        quick.read(&quickReader)
        #expect(writer.hasRoom(for: 100) && quickReader.droppedFrames == 0)
    }

    /// The thread sanitizer does not see Swift's mutex. Under it, the readers take turns by one that it sees; the writer does not.
    private final class Turns: @unchecked Sendable {
        // Sendable: the lock never moves.
        private let lock: UnsafeMutablePointer<pthread_mutex_t>?

        init() {
            guard dlsym(nil, "__tsan_init") != nil else {
                lock = nil
                return
            }
            lock = .allocate(capacity: 1)
            if let lock { pthread_mutex_init(lock, nil) }
        }

        deinit { lock?.deallocate() }

        func take<Result: ~Copyable>(_ body: () -> Result) -> Result {
            if let lock { pthread_mutex_lock(lock) }
            defer { if let lock { pthread_mutex_unlock(lock) } }
            return body()
        }
    }

    @Test func `have exact counts between threads, be they quick, slow, late or gone soon`() {
        let tap = Tap(channels: 2, capacity: 4096)
        let isDone = Flag()
        let joined = Count()
        let wrong = Count()
        let turns = Turns()
        @Sendable func read(_ capacity: Int, pause: Int, untilBlocks limit: Int = .max) {
            var reader = Optional(turns.take { tap.reader(capacity: capacity) })
            joined.add(1)
            var (heard, first, end) = (Heard(), UInt64?.none, UInt64(0))
            var finished = false
            while heard.blocks.count < limit {
                let before = heard.blocks.count
                turns.take { if reader != nil { heard.read(&reader!, atMost: 4) } }
                if first == nil { first = heard.blocks.first?.position }
                for _ in 0..<pause { _ = Flag().isSet }
                if heard.blocks.count == before && finished { break }
                if heard.blocks.count == before { finished = isDone.isSet }
            }
            end = heard.blocks.last.map { $0.position + UInt64($0.frames) } ?? 0
            // What lies between the first and the last that it heard was heard or counted; what it dropped behind is counted too.
            let missing = end - (first ?? 0) - UInt64(heard.frames)
            turns.take {
                if !heard.isTrue || missing > reader?.droppedFrames ?? 0 { wrong.add(1) }
                reader = nil
            }
        }
        let threads = [
            TestThread { read(4096, pause: 0) }, TestThread { read(300, pause: 2000) },
            TestThread { while !isDone.isSet { read(500, pause: 10, untilBlocks: 20) } },
        ]
        while joined.value < 3 {}
        let writer = turns.take { Writer(tap) }
        var generator = SeededGenerator(seed: 175)
        var number = 0
        // As long as it takes until one has come late: a thread may not run for longer than all of the blocks take.
        while number < 5000 || joined.value <= 3 {
            writer.write(Int.random(in: 1...64, using: &generator))
            if number % 100 == 0 { turns.take { writer.takePlan() } }
            number += 1
        }
        isDone.set()
        for thread in threads { thread.join() }
        #expect(wrong.value == 0)
    }

    @Test func `have room for no more descriptions than are of use, however deep the ring is`() {
        let writer = Writer(Tap(channels: 2, capacity: 1 << 23))
        var written = 0
        while written < 1 << 19, writer.write(1) { written += 1 }
        #expect(written == 1 << 18)
    }
}

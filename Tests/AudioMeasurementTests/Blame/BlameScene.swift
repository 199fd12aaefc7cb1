import AudioRealtime

@testable import AudioMeasurement

/// A graph in which time goes as it is told to: the records that a unit and a sentinel would make of it.
struct BlameScene {
    var own: [CycleRecord] = []
    var sentinel: [CycleRecord] = []
    var periodFrames: Int
    /// In hertz; records tell it.
    var sampleRate = 48000
    /// When the next cycle is due.
    var dueNanoseconds = 1e12
    /// JACK's frame clock at the next cycle.
    var frameTime: UInt32
    /// How long after the sentinel we begin, where nothing else is said.
    var wakeUpOffsetNanoseconds = 20_000.0
    private var ownNext = CycleRecord()
    private var sentinelNext = CycleRecord()

    init(periodFrames: Int = 64, frameTime: UInt32 = 1000) {
        self.periodFrames = periodFrames
        self.frameTime = frameTime
    }

    var periodNanoseconds: Double { Double(periodFrames) / Double(sampleRate) * 1e9 }

    /// The next cycle.
    ///
    /// - Parameters:
    ///   - late: how much later than due the server begins it.
    ///   - wakeUpOffset: how long after the sentinel we begin.
    ///   - work: how long our callback takes.
    ///   - frameTimeRead: what we take for the cycle's frame time, where the server has moved on.
    ///   - ownIsSeen: whether our record is not lost.
    ///   - sentinelIsSeen: whether the sentinel's is not.
    mutating func cycle(
        late: Double = 0, wakeUpOffset: Double? = nil, work: Double = 1000, frameTimeRead: UInt32? = nil,
        ownIsSeen: Bool = true, sentinelIsSeen: Bool = true
    ) {
        let start = dueNanoseconds + late
        noteSentinel(start, isSeen: sentinelIsSeen)
        noteOwn(start + (wakeUpOffset ?? wakeUpOffsetNanoseconds), work, frameTimeRead ?? frameTime, isSeen: ownIsSeen)
        advance()
    }

    mutating func cycles(_ count: Int) { for _ in 0..<count { cycle() } }

    /// Cycles in async mode that begin on time, and in which we do not run because we are still busy or waiting.
    mutating func cyclesWithoutUs(_ count: Int) {
        for _ in 0..<count {
            noteSentinel(dueNanoseconds, isSeen: true)
            advance()
        }
    }

    /// In sync mode the server waits, and puts all that follows off.
    mutating func wait(nanoseconds: Double) { dueNanoseconds += nanoseconds }

    var judge: BlameJudge { judge(hasUpstream: true) }

    func judge(hasUpstream: Bool) -> BlameJudge {
        var judge = BlameJudge(sampleRate: 48000, hasUpstream: hasUpstream)
        judge.add(own: own)
        judge.add(sentinel: sentinel)
        return judge
    }

    private mutating func noteSentinel(_ start: Double, isSeen: Bool) {
        sentinelNext.entryNanoseconds = UInt64(start)
        sentinelNext.exitNanoseconds = sentinelNext.entryNanoseconds + 500
        sentinelNext.frameTime = frameTime
        sentinelNext.frames = UInt32(periodFrames)
        if isSeen { sentinel.append(sentinelNext) } else { sentinelNext.lostRecords += 1 }
        sentinelNext.position += UInt64(periodFrames)
    }

    private mutating func noteOwn(_ entry: Double, _ work: Double, _ frameTime: UInt32, isSeen: Bool) {
        ownNext.entryNanoseconds = UInt64(entry)
        ownNext.exitNanoseconds = UInt64(entry + work)
        ownNext.frameTime = frameTime
        ownNext.frames = UInt32(periodFrames)
        ownNext.sampleRate = UInt32(sampleRate)
        if isSeen { own.append(ownNext) } else { ownNext.lostRecords += 1 }
        ownNext.position += UInt64(periodFrames)
    }

    private mutating func advance() {
        dueNanoseconds += periodNanoseconds
        frameTime &+= UInt32(periodFrames)
    }
}

// What stalls do, as jackd's dummy backend does it.
extension BlameScene {
    /// Our callback takes so long, and in sync mode all wait for it.
    mutating func ownStall(nanoseconds: Double, isSync: Bool) {
        if isSync {
            cycle(work: nanoseconds)
            wait(nanoseconds: nanoseconds + wakeUpOffsetNanoseconds - periodNanoseconds + 100_000)
        } else {
            cycle(work: nanoseconds)
            resume(afterNanoseconds: nanoseconds + wakeUpOffsetNanoseconds)
        }
    }

    /// A client before us takes so long.
    mutating func upstreamStall(nanoseconds: Double, isSync: Bool) {
        if isSync {
            cycle(wakeUpOffset: nanoseconds + wakeUpOffsetNanoseconds)
            wait(nanoseconds: nanoseconds - periodNanoseconds + 200_000)
        } else {
            dueNanoseconds += periodNanoseconds
            noteSentinel(dueNanoseconds - periodNanoseconds, isSeen: true)
            frameTime &+= UInt32(periodFrames)
            resume(afterNanoseconds: nanoseconds + wakeUpOffsetNanoseconds)
        }
    }

    /// The server is stopped for so long, then catches up by a cycle.
    ///
    /// - Parameter isMissed: whether the one that follows at once comes before we are ready, as it may in async mode.
    mutating func serverStall(nanoseconds: Double, isMissed: Bool = false) {
        cycle(late: nanoseconds)
        wait(nanoseconds: nanoseconds - periodNanoseconds + 100_000)
        if isMissed { cyclesWithoutUs(1) } else { cycle() }
    }

    /// In async mode the server goes on without us; we begin again in the middle of a cycle, whose frame time we read.
    private mutating func resume(afterNanoseconds nanoseconds: Double) {
        let begun = dueNanoseconds - periodNanoseconds
        let missed = Int(nanoseconds / periodNanoseconds) - 1
        cyclesWithoutUs(missed)
        cycle(wakeUpOffset: begun + nanoseconds - dueNanoseconds)
    }
}

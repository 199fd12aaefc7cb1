import AudioRealtime

/// Makes the records of a mode's callbacks as they would be on a machine where time goes as it is told to.
struct CycleLog {
    var records: [CycleRecord] = []
    /// In hertz; records tell it.
    var sampleRate: Int
    var periodFrames: Int
    /// How long a callback takes.
    var workNanoseconds: UInt64 = 1000
    /// The next callback, as it is when nothing happens.
    var next = CycleRecord()

    init(sampleRate: Int = 48000, periodFrames: Int = 48) {
        self.sampleRate = sampleRate
        self.periodFrames = periodFrames
        next.entryNanoseconds = 1_000_000_000_000
        next.frameTime = 1000
    }

    /// The next callback, so long after the last one's start as its period lasts and this. A record that is not kept
    /// is lost, and counted.
    mutating func cycle(late nanoseconds: Int64 = 0, isKept: Bool = true) {
        next.frames = UInt32(periodFrames)
        next.sampleRate = UInt32(sampleRate)
        if let last = times {
            let length = UInt64(last.frames) * 1_000_000_000 / UInt64(last.sampleRate)
            next.entryNanoseconds = last.entry + UInt64(Int64(length) + nanoseconds)
        }
        next.exitNanoseconds = next.entryNanoseconds + workNanoseconds
        times = (next.entryNanoseconds, periodFrames, sampleRate)
        if isKept { records.append(next) } else { next.lostRecords += 1 }
        next.position += UInt64(periodFrames)
        next.frameTime &+= UInt32(periodFrames)
    }

    mutating func cycles(_ count: Int) { for _ in 0..<count { cycle() } }

    private var times: (entry: UInt64, frames: Int, sampleRate: Int)?
}

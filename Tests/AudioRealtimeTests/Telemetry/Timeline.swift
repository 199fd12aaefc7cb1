import AudioRealtime

/// Makes the records of a unit's cycles as they would be on a machine where time goes as it is told to.
struct Timeline {
    var account: CycleAccount
    /// In hertz; records tell it.
    var sampleRate: Double
    var periodFrames: Int {
        // As jackd's frame clock: it goes on by the length of the cycle that begins.
        didSet { frameTime &+= UInt32(truncatingIfNeeded: periodFrames - oldValue) }
    }
    var isFreewheeling = false
    /// When the next cycle is due.
    var dueNanoseconds = 1e12
    /// JACK's frame clock at the next cycle.
    var frameTime: UInt32 = 1000
    /// How long a callback takes.
    var workNanoseconds: UInt64 = 1000
    private var record = CycleRecord()

    init(sampleRate: Int = 48000, periodFrames: Int = 64) {
        account = CycleAccount(sampleRate: sampleRate)
        self.sampleRate = Double(sampleRate)
        self.periodFrames = periodFrames
    }

    var periodNanoseconds: Double { Double(periodFrames) / sampleRate * 1e9 }

    /// The next cycle, so much later than it is due. Where `isSeen` is not set, its record is lost.
    mutating func cycle(lateBy nanoseconds: Double = 0, isSeen: Bool = true) {
        record.entryNanoseconds = UInt64(dueNanoseconds + nanoseconds)
        record.exitNanoseconds = record.entryNanoseconds + workNanoseconds
        record.frameTime = frameTime
        record.frames = UInt32(periodFrames)
        record.sampleRate = UInt32(sampleRate)
        record.isFreewheeling = isFreewheeling
        if isSeen { account.add(record) } else { record.lostRecords += 1 }
        record.position += UInt64(periodFrames)
        frameTime &+= UInt32(periodFrames)
        dueNanoseconds += periodNanoseconds
    }

    mutating func cycles(_ count: Int) { for _ in 0..<count { cycle() } }

    /// The server stops for a time. In sync mode its frame clock stops too; in async mode it goes on, and the cycles
    /// that it skips are missing.
    mutating func stall(nanoseconds: Double, skipsFrames: Bool = false) {
        if skipsFrames {
            let periods = (nanoseconds / periodNanoseconds).rounded()
            frameTime &+= UInt32(periods) * UInt32(periodFrames)
            dueNanoseconds += periods * periodNanoseconds
        } else {
            dueNanoseconds += nanoseconds
        }
    }
}

import AudioRealtime
import AudioRecording

/// Blocks of a tap as they would come on a machine where time goes as it is told to.
struct GapStream {
    var finder = GapFinder()
    private(set) var steps: [GapFinder.Step] = []
    private(set) var block: TapBlock
    /// When the next block is due.
    var dueNanoseconds = 1e12
    private var firstNanoseconds: Double?
    private var endNanoseconds = 0.0
    let periodFrames: Int

    init(sampleRate: Int = 48000, periodFrames: Int = 64) {
        block = TapBlock(run: TapRun(sampleRate: sampleRate))
        self.periodFrames = periodFrames
    }

    var isFreewheeling: Bool {
        get { block.isFreewheeling }
        set { block.isFreewheeling = newValue }
    }

    var frameNanoseconds: Double { 1e9 / Double(block.run.sampleRate) }
    var periodNanoseconds: Double { Double(periodFrames) * frameNanoseconds }
    var gaps: [Gap] { steps.compactMap { if case .gap(let gap) = $0 { gap } else { nil } } }
    var blocks: [TapBlock] { steps.compactMap { if case .block(let block) = $0 { block } else { nil } } }

    /// The next block, so much later than it is due. Where `isDropped` is set it finds no room.
    mutating func cycle(lateBy nanoseconds: Double = 0, isDropped: Bool = false) {
        block.frames = UInt32(periodFrames)
        block.entryNanoseconds = UInt64(dueNanoseconds + nanoseconds)
        if !isDropped {
            steps += finder.add(block)
            firstNanoseconds = firstNanoseconds ?? dueNanoseconds
            endNanoseconds = dueNanoseconds + periodNanoseconds
        }
        pass()
    }

    mutating func cycles(_ count: Int) { for _ in 0..<count { cycle() } }

    mutating func pausedCycle() {
        block.pausedFrames += UInt64(periodFrames)
        pass()
    }

    /// The server stops for a time; in async mode its frame clock goes on by whole periods.
    mutating func stall(nanoseconds: Double, skipsFrames: Bool = false) {
        guard skipsFrames else { return dueNanoseconds += nanoseconds }
        let periods = (nanoseconds / periodNanoseconds).rounded()
        block.frameTime &+= UInt32(periods) * UInt32(periodFrames)
        dueNanoseconds += periods * periodNanoseconds
    }

    /// The frame clock goes on by so many frames, and no time goes by.
    mutating func jump(frames: Int) { block.frameTime &+= UInt32(truncatingIfNeeded: frames) }

    /// The unit is stopped and started again after a time.
    mutating func begin(_ run: TapRun, after nanoseconds: Double) {
        block.run = run
        block.runNumber += 1
        block.frameTime = 5
        dueNanoseconds += nanoseconds
    }

    mutating func finish(withoutServerUntil end: UInt64? = nil) {
        steps += finder.finish(withoutServerUntil: end)
    }

    /// From the start of the first block that came to the end of the last.
    var elapsedNanoseconds: Double { endNanoseconds - (firstNanoseconds ?? 0) }

    /// As long as blocks and gaps last together.
    var accountedNanoseconds: Double {
        blocks.reduce(0) { $0 + Double($1.frames) / Double($1.run.sampleRate) * 1e9 }
            + gaps.reduce(0) { $0 + Double($1.lengthNanoseconds) }
    }

    private mutating func pass() {
        block.position += UInt64(periodFrames)
        block.frameTime &+= UInt32(periodFrames)
        dueNanoseconds += periodNanoseconds
    }
}

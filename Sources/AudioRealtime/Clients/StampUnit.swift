/// The audio thread of a client that renders nothing and only notes its cycles.
package struct StampUnit: ~Copyable {
    private var records: Producer<CycleRecord>
    private var record = CycleRecord()

    package init(records: consuming Producer<CycleRecord>) { self.records = records }

    /// Notes a cycle, at its end. What finds no room is counted in the next record that does. Thread: audio. Wait-free.
    ///
    /// - Parameters:
    ///   - frames: length of the cycle.
    ///   - frameTime: JACK's frame clock at the start of the cycle.
    ///   - entryNanoseconds: when the callback began.
    ///   - exitNanoseconds: when it ended.
    @_noLocks @_noAllocation
    package mutating func note(frames: Int, frameTime: UInt32, entryNanoseconds: UInt64, exitNanoseconds: UInt64) {
        record.entryNanoseconds = entryNanoseconds
        record.exitNanoseconds = exitNanoseconds
        record.frameTime = frameTime
        record.frames = UInt32(truncatingIfNeeded: frames)
        if !records.pushRealtime(record) { record.lostRecords += 1 }
        record.position += UInt64(record.frames)
    }
}

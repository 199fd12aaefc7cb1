import AudioDSP

/// A buffer of a queue on its way between the audio thread and the worker.
package struct QueuedBuffer: BitwiseCopyable, Sendable, Equatable {
    /// Which of the pool's buffers.
    package var number: Int
    /// How many frames are in it: all that fit, but where a flush handed it over before it was full.
    package var frames: Int
    /// JACK's frame clock at the first of them.
    package var frameTime: UInt32
    /// The server's sample rate at the last of them, in hertz; 0 where it was not noted.
    package var sampleRate: UInt32 = 0
    /// Whether the server freewheeled in the cycle of the last of them.
    package var isFreewheeling = false
    /// See `CycleRecord.restFrames`.
    package var restFrames: UInt32 = 0
    /// The one in which the first of them came.
    package var cycle = TapCycle()

    @_noLocks @_noAllocation
    package init(number: Int, frames: Int, frameTime: UInt32) {
        self.number = number
        self.frames = frames
        self.frameTime = frameTime
    }
}

/// The memory of a queue's buffers, allocated once. A buffer belongs to the thread that has its number.
@safe package final class QueueMemory: @unchecked Sendable {
    // Sendable: the address never changes, and a buffer belongs to the one thread that has its number, which goes from thread to
    // thread through rings that order what was written before.
    private let bytes: Row<UInt8>
    /// What the threads reach it through.
    package let pool: QueuePool

    /// - Parameters:
    ///   - buffers: how many there are.
    ///   - frames: length of each.
    package init(buffers: Int, frames: Int, channels: Int, format: QueueFormat) {
        precondition(buffers >= 1 && frames >= 1 && channels >= 1)
        bytes = Row(zeros: buffers * frames * channels * format.bytes)
        unsafe pool = QueuePool(
            UnsafeMutableRawPointer(bytes.base), buffers: buffers, frames: frames, channels: channels, format: format)
    }
}

/// The buffers of a queue, addressed by number, channel and frame. Its holder keeps the `QueueMemory` too.
@safe package struct QueuePool: BitwiseCopyable, @unchecked Sendable {
    // Sendable: as `QueueMemory`, whose address and sizes it has and nothing else.
    private let base: UnsafeMutableRawPointer
    package let buffers: Int
    /// Length of each buffer in frames.
    package let frames: Int
    package let channels: Int
    package let format: QueueFormat

    @unsafe fileprivate init(
        _ base: UnsafeMutableRawPointer, buffers: Int, frames: Int, channels: Int, format: QueueFormat
    ) {
        unsafe self.base = base
        self.buffers = buffers
        self.frames = frames
        self.channels = channels
        self.format = format
    }

    /// Writes samples into a channel of a buffer from frame `start` on, in the pool's format. Thread: the buffer's
    /// owner. Wait-free.
    @_noLocks @_noAllocation
    package func write(_ source: Samples, buffer: Int, channel: Int, from start: Int) {
        let place = self.place(buffer, channel, start, source.count)
        // SAFETY: `place` has checked the range; the memory holds whole samples of the format and no others.
        switch format {
        case .int16:
            let target = unsafe base.assumingMemoryBound(to: Int16.self) + place
            unsafe Integers(target, count: source.count).round(from: source)
        case .float:
            let target = unsafe base.assumingMemoryBound(to: Float.self) + place
            unsafe Samples(target, count: source.count).copy(from: source)
        }
    }

    /// Reads samples from a channel of a buffer from frame `start` on. Thread: the buffer's owner. Wait-free.
    @_noLocks @_noAllocation
    package func read(into target: Samples, buffer: Int, channel: Int, from start: Int) {
        let place = self.place(buffer, channel, start, target.count)
        // SAFETY: as for `write`.
        switch format {
        case .int16:
            let source = unsafe base.assumingMemoryBound(to: Int16.self) + place
            target.copy(from: unsafe Integers(source, count: target.count))
        case .float:
            let source = unsafe base.assumingMemoryBound(to: Float.self) + place
            target.copy(from: unsafe Samples(source, count: target.count))
        }
    }

    /// The number of a sample among all of the pool's.
    @_noLocks @_noAllocation
    private func place(_ buffer: Int, _ channel: Int, _ start: Int, _ count: Int) -> Int {
        precondition(buffer >= 0 && buffer < buffers && channel >= 0 && channel < channels)
        precondition(start >= 0 && start + count <= frames)
        return (buffer * channels + channel) * frames + start
    }
}

/// The numbers of the buffers that nobody uses. The audio thread's own.
@safe struct FreeBuffers: ~Copyable {
    private let numbers: Row<Int>
    private(set) var count = 0

    /// All of them are free.
    init(capacity: Int) {
        numbers = Row(Array(0..<capacity))
        count = capacity
    }

    mutating func reset() {
        // SAFETY: here and below, `count` stays within the capacity.
        for number in 0..<numbers.count { unsafe numbers.base[number] = number }
        count = numbers.count
    }

    @_noLocks @_noAllocation
    mutating func put(_ number: Int) {
        precondition(count < numbers.count)
        unsafe numbers.base[count] = number
        count += 1
    }

    @_noLocks @_noAllocation
    mutating func take() -> Int? {
        guard count > 0 else { return nil }
        count -= 1
        return unsafe numbers.base[count]
    }
}

import Glibc
import Synchronization

/// Hands what comes through a pipe on through another, so that a thread that waits for more of it can be sent home.
package final class PipeRelay: Sendable {
    /// What is read in place of the pipe. Open until `close`.
    package let descriptor: CInt
    private let worker: Worker
    private let wakePipe: WakePipe
    private let flags: Flags

    private final class Flags: Sendable {
        let isEnding = Atomic<Bool>(false)
        /// Set by `noteOpening`, or when its time is over: who comes first decides.
        let isDecided = Atomic<Bool>(false)
    }

    /// Whether a descriptor is a pipe or a socket: a read from anything else does not wait without end.
    package static func isNeeded(for descriptor: CInt) -> Bool {
        var facts = stat()
        return unsafe fstat(descriptor, &facts) == 0 && [S_IFIFO, S_IFSOCK].contains(facts.st_mode & S_IFMT)
    }

    /// - Parameters:
    ///   - source: stays the caller's, who may close it; nobody else may read from it.
    ///   - openingNanoseconds: where `noteOpening` is not called within so much time, there is no more to read.
    ///   - watch: gets the bytes before a reader can read them. Thread: the relay's.
    /// - Throws: where the process has too many files open, or no thread to start.
    package init(
        _ source: CInt, openingNanoseconds: UInt64? = nil, watch: (@Sendable (ArraySlice<UInt8>) -> Void)? = nil
    ) throws(ResourceError) {
        let (wakePipe, flags) = (try WakePipe(), Flags())
        let deadline = openingNanoseconds.map { MonotonicClock.nanoseconds() + $0 }
        let copy = fcntl(source, F_DUPFD_CLOEXEC, 0)
        guard copy >= 0, let ends = PipeEnds() else {
            if copy >= 0 { Glibc.close(copy) }
            throw ResourceError("make a pipe", DescriptorLimit.advice)
        }
        do {
            worker = try Worker("iounit-relay") {
                Self.relay(from: copy, to: ends.writing, wakePipe, flags, openingUntil: deadline, watch)
                Glibc.close(copy)
                Glibc.close(ends.writing)
            }
        } catch {
            Glibc.close(copy)
            ends.close()
            throw error
        }
        (self.wakePipe, self.flags) = (wakePipe, flags)
        descriptor = ends.reading
    }

    /// What had to come first is there: what comes now is waited for without end. Once.
    ///
    /// - Returns: `false` where that is too late.
    package func noteOpening() -> Bool { !flags.isDecided.exchange(true, ordering: .relaxed) }

    /// From now on there is no more to read. Thread: any.
    package func end() {
        flags.isEnding.store(true, ordering: .relaxed)
        wakePipe.wake()
    }

    /// Ends it; nobody reads from `descriptor` any more. Once only. Thread: any.
    package func close() {
        end()
        Glibc.close(descriptor)
    }

    private static func relay(
        from source: CInt, to target: CInt, _ wakePipe: WakePipe, _ flags: Flags, openingUntil end: UInt64?,
        _ watch: (@Sendable (ArraySlice<UInt8>) -> Void)?
    ) {
        var deadline = end
        var bytes = [UInt8](repeating: 0, count: 65536)
        while true {
            let now = MonotonicClock.nanoseconds()
            let isReady = wakePipe.wait(
                milliseconds: deadline.map { Int(clamping: ($0 - min($0, now)) / 1_000_000 + 1) } ?? -1, orFor: source)
            guard !flags.isEnding.load(ordering: .relaxed) else { return }
            if let time = deadline, MonotonicClock.nanoseconds() >= time {
                deadline = nil
                guard flags.isDecided.exchange(true, ordering: .relaxed) else { return }
                continue
            }
            // Else the read would wait, and hear of no end.
            guard isReady else { continue }
            // SAFETY: the array has room for as many.
            let count = unsafe bytes.withUnsafeMutableBytes { unsafe read(source, $0.baseAddress, $0.count) }
            if count < 0 && (errno == EINTR || errno == EAGAIN) { continue }
            if count > 0 { watch?(bytes.prefix(count)) }
            guard count > 0, WholeWrite.write(Array(bytes.prefix(count)), to: target) else { return }
        }
    }
}

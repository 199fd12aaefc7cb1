import AudioReports
import Glibc
import Synchronization
import Threads

/// What goes to the standard error, written by a thread of its own: a pipe that nobody empties, or a terminal that
/// hangs, keeps that thread waiting and neither the sound, nor a reconnection, nor the end.
package enum StandardError {
    /// In bytes, of what waits. A line that finds no room is left out, and counted in its place.
    private static let capacity = 1 << 16
    /// How long a reader that takes nothing is waited for at the end.
    private static let patienceMilliseconds: UInt64 = 1000
    /// How long one that takes something is waited for: a busy machine may not have let our thread run yet.
    private static let busyMilliseconds: UInt64 = 10_000
    /// What is written at once, in bytes: a line to a slow terminal takes a piece of it in that time.
    private static let pieceBytes = 4096

    private struct State {
        var waiting: [UInt8] = []
        /// How much of it is a page, which takes no room from lines.
        var pageBytes = 0
        /// Whether the thread is at it.
        var isWriting = false
        var omitted = 0
        /// Whether it was waited for in vain.
        var isStuck = false
        /// Messages that wait for the end of the page, which would overwrite them; `nil` while no page is shown.
        var held: String?
        var worker: Worker?

        var isIdle: Bool { waiting.isEmpty && !isWriting }

        mutating func append(_ bytes: [UInt8]) {
            waiting += bytes
            if worker == nil { worker = try? Worker("iounit-stderr") { work() } }
        }
    }

    private static let state = Mutex(State())
    private static let news = Semaphore()
    private static let writtenPieces = Atomic(0)

    /// Whether it is a terminal, and so read by who sits there and kept by nobody.
    package static var isTerminal: Bool { isatty(STDERR_FILENO) == 1 }

    /// Whether all of it is written.
    static var isIdle: Bool { state.withLock { $0.isIdle } }

    /// Thread: any but audio. Never waits.
    package static func write(_ text: String) {
        state.withLock { state in
            let bytes = Array(text.utf8)
            guard state.waiting.count - state.pageBytes + bytes.count <= capacity else {
                state.omitted += 1
                return
            }
            if state.omitted > 0 {
                state.waiting += Array("iounit: nobody read on, so \(state.omitted) lines are left out here\n".utf8)
                state.omitted = 0
            }
            state.append(bytes)
        }
        news.handle.post()
    }

    /// Writes a message that is not a result: at once, or after the page while one is shown. Thread: any but audio. Never waits.
    package static func complain(_ message: String) {
        let line = "iounit: \(withoutMiddle(shown(message)))\n"
        let isHeld = state.withLock { state in
            guard let held = state.held, held.utf8.count < capacity / 2 else { return false }
            state.held = held + line
            return true
        }
        if !isHeld { write(line) }
    }

    /// Notes that a page appears or has gone, and then writes the messages that waited for its end.
    static func notePage(isShown: Bool) {
        let said = state.withLock { state in
            defer { state.held = isShown ? "" : nil }
            return state.held
        }
        if let said, !said.isEmpty { write(said) }
    }

    /// Writes a page of the live view, however large, unless something is still on its way: the next page replaces it
    /// anyway. Thread: any but audio. Never waits.
    static func writePage(_ text: String) {
        let isTaken = state.withLock { state in
            guard state.isIdle else { return false }
            state.append(Array(text.utf8))
            state.pageBytes = state.waiting.count
            return true
        }
        if isTaken { news.handle.post() }
    }

    /// Waits until all of it is written, or nobody seems to read it; that is found out once. Thread: any but audio.
    package static func flush() {
        var (start, pieces) = (UInt64(0), -1)
        while !isIdle && !state.withLock({ $0.isStuck }) {
            let now = MonotonicClock.nanoseconds()
            let written = writtenPieces.load(ordering: .relaxed)
            if written != pieces { (start, pieces) = (now, written) }
            let waited = (now - start) / 1_000_000
            guard waited < patienceMilliseconds || waited < busyMilliseconds && takesMore else {
                return state.withLock { $0.isStuck = true }
            }
            MonotonicClock.sleep(milliseconds: 1)
        }
    }

    /// Whether who reads it would take something at this moment. A file always does.
    private static var takesMore: Bool {
        var file = pollfd(fd: STDERR_FILENO, events: Int16(POLLOUT), revents: 0)
        return unsafe poll(&file, 1, 0) > 0
    }

    /// The thread's whole life, which is the program's.
    private static func work() {
        while true {
            news.wait()
            let bytes = state.withLock { state in
                state.isWriting = true
                defer {
                    state.waiting = []
                    state.pageBytes = 0
                }
                return state.waiting
            }
            for start in stride(from: 0, to: bytes.count, by: pieceBytes) {
                // If nobody listens there is nobody to tell. Another program may have set that no call waits in it.
                _ = WholeWrite.write(Array(bytes[start..<min(bytes.count, start + pieceBytes)]), to: STDERR_FILENO) {
                    var file = pollfd(fd: STDERR_FILENO, events: Int16(POLLOUT), revents: 0)
                    return unsafe poll(&file, 1, -1) > 0 || errno == EINTR
                }
                writtenPieces.add(1, ordering: .relaxed)
            }
            state.withLock { state in
                state.isWriting = false
                state.isStuck = false
            }
        }
    }
}

import Synchronization
import Threads

/// The worker's part of one target: from its queue to its connection, which it makes again where that is lost.
final class TargetSession: Sendable {
    let queue: PacketQueue
    private let context: LinkContext
    private let figures: Mutex<TargetFigures>
    private let deadline: Deadline
    /// Whether the worker hangs and is no longer waited for.
    private let left = Atomic<Bool>(false)

    /// When nothing is waited for any more, on the monotonic clock.
    private final class Deadline: Sendable {
        let nanoseconds = Atomic<UInt64>(.max)
        var isAhead: Bool { MonotonicClock.nanoseconds() < nanoseconds.load(ordering: .relaxed) }
    }

    /// So often is looked whether to end, though nothing wakes the worker.
    private static let lookNanoseconds: UInt64 = 100_000_000
    /// A connection that lasted so long was one: the next attempt comes soon again.
    private static let steadyNanoseconds: UInt64 = 5_000_000_000

    init(
        _ target: StreamTarget, _ settings: CodecSettings, opening: StreamOpening, header: [UInt8], queue: PacketQueue
    ) {
        self.queue = queue
        figures = Mutex(TargetFigures(target: target, sampleRate: opening.rate))
        let deadline = Deadline()
        self.deadline = deadline
        context = LinkContext(
            target: target, settings: settings, opening: opening, header: header, waits: { deadline.isAhead })
    }

    /// Whether the peer plays packets as soon as they come.
    var isUrgent: Bool { context.target.kind == .rtp }

    var present: TargetFigures {
        var present = figures.withLock { $0 }
        let counts = queue.counts
        (present.lostPackets, present.lostFrames) = (counts.lostPackets, counts.lostFrames)
        present.waitingPackets = queue.count
        return present
    }

    /// No more packets come. What waits goes out, until a time of the monotonic clock at the latest.
    func end(byNanoseconds time: UInt64) {
        deadline.nanoseconds.store(time, ordering: .relaxed)
        queue.end()
    }

    var isLeft: Bool { left.load(ordering: .relaxed) }

    /// Stops waiting for the worker, which hangs in a call: no thread can leave a call to a disk that does not answer.
    ///
    /// - Parameter seconds: how long it was waited for.
    func leave(afterSeconds seconds: Double) {
        left.store(true, ordering: .relaxed)
        queue.loseAll()
        let isFile = context.target.kind == .file
        let failure = context.fail(
            isFile ? .file : .network,
            "\(isFile ? "the disk" : "it") has not answered for \(Int(seconds)) s, and what it has not taken is lost")
        figures.withLock { ($0.state, $0.failure) = (.failed, failure) }
    }

    /// The connection of the moment.
    private struct Connection {
        var link: (any StreamLink)?
        /// Bytes that left by the connections before it.
        var earlierBytes: UInt64 = 0
        var sinceNanoseconds: UInt64 = 0
        var reconnection = Reconnection()
        /// With sound, as it left last.
        var last: StreamPacket?
    }

    /// Thread: the worker, for its whole life.
    func run() {
        var connection = Connection()
        while deadline.isAhead {
            if connection.link == nil {
                guard reach(&connection) else { break }
                continue
            }
            guard let packet = queue.next() else {
                // Since it was asked the last packets may have come, and the end with them.
                if queue.isExhausted { break }
                idle(&connection)
                queue.wait(untilNanoseconds: MonotonicClock.nanoseconds() + Self.lookNanoseconds)
                continue
            }
            send(packet, &connection)
        }
        queue.loseAll()
        var failure: StreamError?
        do throws(StreamError) {
            try connection.link?.close()
        } catch {
            failure = error
        }
        noteRefusal(&connection)
        noteBytes(connection)
        let unconfirmed = connection.link?.unconfirmedPackets ?? 0
        figures.withLock { figures in
            figures.unconfirmedPackets += unconfirmed
            if figures.state != .failed { figures.state = .ended }
            figures.closeFailure = failure
            figures.failure = failure ?? figures.failure
        }
    }

    private func noteBytes(_ connection: Connection) {
        // Not under the lock: a disk may be slow to tell.
        let bytes = connection.earlierBytes + (connection.link?.sentBytes ?? 0)
        figures.withLock { $0.sentBytes = bytes }
    }

    private func send(_ packet: StreamPacket, _ connection: inout Connection) {
        defer { noteBytes(connection) }
        do throws(StreamError) {
            let hasLeft = try connection.link?.send(packet) == true
            noteRefusal(&connection)
            if hasLeft {
                figures.withLock { $0.sentPackets += 1 }
                if !packet.isGap { connection.last = packet }
            } else {
                connection.last = nil
                queue.lose(packet)
            }
        } catch {
            queue.lose(packet)
            lose(&connection, error)
        }
    }

    /// What counted as sent is lost where its receiver was not there.
    private func noteRefusal(_ connection: inout Connection) {
        guard connection.link?.takeRefusal() == true, let last = connection.last else { return }
        connection.last = nil
        figures.withLock { $0.sentPackets -= 1 }
        queue.lose(last)
    }

    private func idle(_ connection: inout Connection) {
        defer { noteBytes(connection) }
        do throws(StreamError) {
            try connection.link?.idle()
        } catch {
            lose(&connection, error)
        }
    }

    private func lose(_ connection: inout Connection, _ error: StreamError) {
        let now = MonotonicClock.nanoseconds()
        if now > connection.sinceNanoseconds + Self.steadyNanoseconds { connection.reconnection.succeed() }
        connection.earlierBytes += connection.link?.sentBytes ?? 0
        let unconfirmed = connection.link?.unconfirmedPackets ?? 0
        figures.withLock { $0.unconfirmedPackets += unconfirmed }
        connection.link = nil
        fail(error, &connection)
    }

    /// Makes the connection, where it is time, or waits; returns whether to go on.
    private func reach(_ connection: inout Connection) -> Bool {
        if figures.withLock({ $0.state }) == .failed {
            queue.loseAll()
            if queue.isEnded { return false }
            queue.wait(untilNanoseconds: MonotonicClock.nanoseconds() + Self.lookNanoseconds)
            return true
        }
        let now = MonotonicClock.nanoseconds()
        guard now >= connection.reconnection.nextNanoseconds else {
            // What ends now would wait for nobody.
            if queue.isEnded, connection.reconnection.failures > 0 { return false }
            queue.wait(untilNanoseconds: min(connection.reconnection.nextNanoseconds, now + Self.lookNanoseconds))
            return true
        }
        do throws(StreamError) {
            connection.link = try context.connect()
            connection.sinceNanoseconds = MonotonicClock.nanoseconds()
            figures.withLock { figures in
                figures.state = .connected
                figures.connections += 1
                figures.isFound = true
            }
        } catch {
            fail(error, &connection)
        }
        return true
    }

    private func fail(_ error: StreamError, _ connection: inout Connection) {
        // What once took the stream may do so again, whatever it says meanwhile.
        let isTrouble = [.network, .unresolved].contains(error.kind)
        // `--tls-ca` is read again each time: its file may be missing while somebody renews it.
        let mayPass = [.denied, .untrusted, .protocolError, .resources, .unreadable, .badData].contains(error.kind)
        let isLasting = !isTrouble && !(mayPass && present.connections > 0)
        connection.reconnection.putOff()
        figures.withLock { figures in
            figures.state = isLasting ? .failed : .connecting
            figures.failure = error
            if error.kind == .network { figures.isFound = true }
        }
    }
}

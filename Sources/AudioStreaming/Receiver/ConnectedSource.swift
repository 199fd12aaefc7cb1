import Threads

/// A connection by which a stream comes, from one end of it to the other. Closed with the object.
protocol SourceConnection: AnyObject {
    /// As of `StreamSource`. Where nothing more comes, what it was that ended it is the last that is handed on.
    func receive(untilNanoseconds deadline: UInt64) throws(StreamError) -> [SourceEvent]
    /// Whether all was handed on.
    var isOver: Bool { get }
    /// Whether it gave any sound.
    var hasSound: Bool { get }
}

/// What comes by a connection that is made, and made again, on the receiver's worker, which has nothing else to do without one.
final class ConnectedSource: StreamSource {
    private let servesAnybody: Bool
    private let connect: Connect<any SourceConnection>
    private var connection: (any SourceConnection)?
    private var reconnection = Reconnection()
    /// Whether the sender was ever reached: then its name is right, and who does not know it now may do so later, as this machine may
    /// have files to give again.
    private var wasReached = false
    /// Whether its name has led to an address.
    private var wasFound = false
    /// Whether any connection had sound: then what answers otherwise now may send sound again, as a server that is being restarted.
    private var hadSound = false
    private var isFinished = false

    private static let idleNanoseconds: UInt64 = 50_000_000

    /// Reaches the sender. May wait for it up to a time of the monotonic clock, or longer where that cannot be helped. Returns `nil`
    /// where none has come yet. Throws `network` where it is always worth another try, else what is wrong.
    typealias Connect<Connection> = (_ deadline: UInt64) throws(StreamError) -> Connection?

    /// - Parameter servesAnybody: whether another sender may come after one that sent something else than sound, or a file that has
    ///   ended.
    init(servesAnybody: Bool = false, connect: @escaping Connect<any SourceConnection>) {
        self.servesAnybody = servesAnybody
        self.connect = connect
    }

    /// Of connections by which streams in the form of a file come.
    convenience init(
        operation: String, servesAnybody: Bool = false, connect: @escaping Connect<any ByteSource>
    ) {
        self.init(servesAnybody: servesAnybody) { deadline throws(StreamError) in
            try connect(deadline).map {
                BodyConnection($0, operation: operation, servesAnybody: servesAnybody)
            }
        }
    }

    func receive(untilNanoseconds deadline: UInt64) throws(StreamError) -> [SourceEvent] {
        guard !isFinished else {
            MonotonicClock.sleep(until: min(deadline, MonotonicClock.nanoseconds() + Self.idleNanoseconds))
            return []
        }
        guard let connection else { return try reach(untilNanoseconds: deadline) }
        do throws(StreamError) {
            let events = try connection.receive(untilNanoseconds: deadline)
            if connection.hasSound { hadSound = true }
            guard connection.isOver else { return events }
            if case .finished = events.last { isFinished = true }
            // One that breaks at once is not tried again at once.
            if connection.hasSound { reconnection.succeed() }
            lose()
            return events
        } catch {
            return try lose(error)
        }
    }

    private func reach(untilNanoseconds deadline: UInt64) throws(StreamError) -> [SourceEvent] {
        let attempt = reconnection.nextNanoseconds
        guard MonotonicClock.nanoseconds() >= attempt else {
            MonotonicClock.sleep(until: min(deadline, attempt))
            return []
        }
        do throws(StreamError) {
            connection = try connect(deadline)
            guard connection != nil else { return [] }
            (wasFound, wasReached) = (true, true)
            return [.reached]
        } catch {
            return try lose(error)
        }
    }

    /// - Throws: what does not get better by itself.
    private func lose(_ error: StreamError) throws(StreamError) -> [SourceEvent] {
        let mayPass =
            switch error.kind {
            case .network: true
            case .unresolved: wasFound
            case .resources: wasReached
            case .denied, .untrusted, .protocolError: hadSound
            default: false
            }
        guard mayPass else { throw error }
        wasFound = true
        lose()
        return [.ended, .failed(error)]
    }

    private func lose() {
        connection = nil
        if !servesAnybody { reconnection.putOff() }
    }
}

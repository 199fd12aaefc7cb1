import AudioRealtime
import Jack
import Synchronization
import Threads

/// Which connections are made when a client starts.
public enum Wiring: Sendable {
    /// Those of a unit's configuration. A route that leads nowhere is an error.
    case routes
    /// Those that the last client had, as far as the ports are there: the server went away and came back.
    case asBefore
    /// The same, after the unit itself left the graph for a while.
    case afterSuspension
}

extension Wiring {
    /// What the taps are told of the run that begins.
    var runCause: TapRun.Cause {
        switch self {
        case .routes: .start
        case .asBefore: .reset
        case .afterSuspension: .restart
        }
    }
}

/// Keeps a client's connections in mind, and makes them again.
///
/// An object of its own, because JACK's notification thread must not hold a reference to the object that closes the client.
final class Patchbay: Sendable {
    private let patch = Mutex(Patch())

    /// A client was opened and is not active yet. Thread: control.
    func begin(_ wiring: Wiring, _ ports: [Port]) {
        // By those that they were registered with, as in `in_1` of `iounit:in_1`.
        let names = ports.map { port in (String(port.name.drop { $0 != ":" }.dropFirst()), port.name) }
        patch.withLock { patch in
            if case .routes = wiring { patch.clear() }
            patch.begin(ports: Dictionary(names, uniquingKeysWith: { first, _ in first }))
        }
    }

    /// Thread: notification.
    func note(_ notification: Notification) {
        patch.withLock { $0.note(notification, atNanoseconds: MonotonicClock.nanoseconds()) }
    }

    /// A connection was made by ourselves: JACK says so too, but later.
    func connected(_ link: Link) { patch.withLock { $0.connect(link.source, link.target) } }

    /// JACK did not make a connection though both ports are there.
    func refused(_ link: Link) {
        patch.withLock { $0.refuse(link, atNanoseconds: MonotonicClock.nanoseconds()) }
    }

    var missing: [Link] { patch.withLock { $0.missing(atNanoseconds: MonotonicClock.nanoseconds()) } }

    var made: [Link] { patch.withLock(\.made) }

    func forget(_ link: Link) { patch.withLock { $0.forget(link) } }

    func announceMissing() { patch.withLock { $0.announceMissing() } }

    func takeNews() -> [EngineEvent.Kind] { patch.withLock { $0.takeNews() } }
}

extension JackClient where Self: ~Copyable {
    /// Makes what is missing and can be made. What cannot is tried again: JACK tells of a port before one can connect to
    /// it. What it goes on refusing, it is asked for less and less often. Waits for the server. Thread: worker.
    func restore(_ patchbay: Patchbay) {
        for link in patchbay.missing {
            guard port(named: link.source) != nil, port(named: link.target) != nil else { continue }
            if (try? connect(link.source, to: link.target)) != nil {
                patchbay.connected(link)
            } else {
                patchbay.refused(link)
            }
        }
    }
}

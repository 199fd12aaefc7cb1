import CJackGuard
import Glibc
import Threads

/// The guard against libjack's habit of ending its notification thread wherever it is (jack2 issue 395), after which
/// every open and close of the process waits without end. What it does is in `guard.c`.
public enum CancellationGuard: String, Sendable {
    /// libjack's notification thread is ended only while it waits for the server.
    case inPlace = "in place"
    /// This libjack ends no thread from outside, as PipeWire's.
    case notNeeded = "not needed with this libjack"
    /// `IOUNIT_JACK_GUARD=off` leaves it out.
    case leftOut = "left out (IOUNIT_JACK_GUARD=off)"
    /// The guard was wanted and could not be set up.
    case impossible = "not in place: libjack's calls could not be redirected"

    /// Puts the guard in place at the first use. The first client waits for it. Thread: control.
    public static let state: CancellationGuard = {
        if Environment["IOUNIT_JACK_GUARD"] == "off" { return .leftOut }
        return switch cjack_guard_install() {
        case CJACK_GUARD_IN_PLACE: .inPlace
        case CJACK_GUARD_NOT_NEEDED: .notNeeded
        default: .impossible
        }
    }()
}

import AudioIO
import AudioStreaming
import Jack
import Threads

/// Whether a run wants its server to freewheel, whether the server does because of that, and when it is asked again.
struct FreewheelWish {
    /// How the server is asked for it.
    typealias Request = () throws(UnitError) -> Void

    private var isWanted = false
    /// Whether the server freewheels because of the run.
    private(set) var isGranted = false
    private var retry = Reconnection()

    /// Asks for it.
    mutating func make(_ request: Request) throws(UnitError) {
        isWanted = true
        // A server that answers too late freewheels all the same.
        isGranted = true
        do throws(UnitError) {
            try request()
        } catch {
            isGranted = error.kind == .unresponsive
            throw error
        }
    }

    /// Asks a server again that the run was away from, as while it was suspended; one that refuses, less and less often.
    mutating func keep(in state: EngineState, at now: UInt64 = MonotonicClock.nanoseconds(), _ request: Request) {
        guard isWanted else { return }
        switch state {
        case .interrupted(.serverGone), .interrupted(.awaitingConsent), .interrupted(.suspended):
            (isGranted, retry) = (false, Reconnection())
        case .running where !isGranted && now >= retry.nextNanoseconds:
            do throws(UnitError) { try make(request) } catch { retry.putOff(at: now) }
        default: break
        }
    }

    /// It is taken back; returns whether there is anything to take back.
    mutating func end() -> Bool {
        defer { isGranted = false }
        return isGranted
    }
}

extension UnitError {
    /// `nil` of what is not JACK's.
    var kind: JackError.Kind? { if case .jack(let error) = self { error.kind } else { nil } }
}

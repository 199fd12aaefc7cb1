import AudioMeasurement
import Foundation
import Jack

/// What happens while the probe listens: signals, and a word now and then on how far it is.
struct LatencyLoop {
    private let session: LatencySession
    private let signals: Signals
    private let seconds: Double
    private let start = MonotonicClock.nanoseconds()
    private var progress = ProgressLine()
    private var standstill = Standstill()

    init(_ session: LatencySession, _ signals: Signals, seconds: Double) {
        self.session = session
        self.signals = signals
        self.seconds = seconds
    }

    private var elapsed: Double { Double(MonotonicClock.nanoseconds() - start) / 1e9 }

    /// Listens until the time is over, or somebody or something ends it.
    mutating func run() -> Report.End {
        defer { progress.clear() }
        while true {
            var file = pollfd(fd: signals.descriptor, events: Int16(POLLIN), revents: 0)
            unsafe poll(&file, 1, CInt(max(1, min(100, (seconds - elapsed) * 1000)).rounded(.up)))
            session.note()
            for number in signals.take() {
                switch number {
                case SIGINT, SIGTERM, SIGHUP: return .interrupted
                case SIGTSTP: kill(getpid(), SIGSTOP)
                default: break
                }
            }
            if session.hasLostServer { return .serverLost }
            if elapsed >= seconds { return .done }
            show()
        }
    }

    private mutating func show() {
        standstill.update(cycles: session.heardFrames, nanoseconds: MonotonicClock.nanoseconds())
        let trouble = standstill.seconds.map { "the JACK server stands still: no cycle for \($0) s" }
        progress.show(
            "\(fixed(min(elapsed, seconds), 0)) of \(fixed(seconds, 0)) s: \(trouble ?? session.progress)",
            seconds: elapsed)
    }
}

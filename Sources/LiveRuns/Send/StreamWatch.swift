import AudioReports
import AudioStreaming
import TerminalPages
import Threads

/// Watches the targets of a run that sends: reports their changes, and adds up what they take.
package struct StreamWatch {
    private let stream: StreamRun
    private var pace: BytePace
    /// What was told of each target last.
    private var told: [(connections: Int, failure: StreamError?)]

    package init(_ stream: StreamRun) {
        self.stream = stream
        let count = stream.options.targets.count
        pace = BytePace(count: count)
        told = Array(repeating: (0, nil), count: count)
    }

    /// A line when a target is reached, or is not, or not any more.
    ///
    /// - Parameter isShown: whether a page shows it instead, so that it is no news later.
    package mutating func tell(isShown: Bool) {
        let tell: (String) -> Void = isShown ? { _ in } : { StandardError.complain($0) }
        for (index, target) in stream.figures.enumerated() {
            if target.connections > told[index].connections {
                let codec = stream.options.codec(of: target.target)?.name ?? ""
                let again = target.connections > 1 ? " again; \(target.lostPackets) packets were lost so far" : ""
                tell("sending to \(target.target) (\(codec), \(target.sampleRate) Hz)\(again)")
                told[index] = (target.connections, target.state == .connected ? nil : told[index].failure)
            }
            guard target.state != .connected, let failure = target.failure, failure != told[index].failure else {
                continue
            }
            told[index].failure = failure
            tell("\(failure)\(target.state == .failed ? "" : "; it is tried again")")
        }
    }

    package mutating func scene() -> [TargetScene] {
        let figures = look()
        return zip(figures, pace.perSecond).map { figures, pace in
            TargetScene(figures, stream.options.codec(of: figures.target), bytesPerSecond: pace)
        }
    }

    private mutating func look() -> [TargetFigures] {
        let figures = stream.figures
        pace.update(figures.map(\.sentBytes), atNanoseconds: MonotonicClock.nanoseconds())
        return figures
    }

    /// A part of a line of a log.
    package mutating func words() -> String {
        let figures = look()
        let reached = figures.count { $0.state == .connected }
        let lost = figures.reduce(0) { $0 + $1.lostPackets }
        let bytes = pace.perSecond.reduce(0) { $0 + ($1 ?? 0) }
        return "\(reached) of \(figures.count) reached  \(size(Int(bytes)))/s  \(lost) packets lost"
    }
}

/// How many bytes a second leave, of several that count.
package struct BytePace {
    /// Of each, since the last look.
    package private(set) var perSecond: [Double?]
    private let paceNanoseconds: UInt64
    private var last: (nanoseconds: UInt64, bytes: [UInt64])?

    /// - Parameter seconds: between two looks, at the least.
    package init(count: Int, seconds: UInt64 = 1) {
        perSecond = Array(repeating: nil, count: count)
        paceNanoseconds = seconds * 1_000_000_000
    }

    /// Looks, where it is time to; returns whether it knows more than before.
    @discardableResult
    package mutating func update(_ bytes: @autoclosure () -> [UInt64], atNanoseconds now: UInt64) -> Bool {
        guard last.map({ now >= $0.nanoseconds + paceNanoseconds }) ?? true else { return false }
        let bytes = bytes()
        defer { last = (now, bytes) }
        guard let last else { return false }
        let seconds = Double(now - last.nanoseconds) / 1e9
        perSecond = zip(bytes, last.bytes).map { Double($0 - min($0, $1)) / seconds }
        return true
    }
}

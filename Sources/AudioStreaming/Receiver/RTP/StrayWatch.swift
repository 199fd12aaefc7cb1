/// Tells a stray packet of a sender from a sender that begins again with other numbers (RFC 3550, appendix A.1): one whose number or
/// time stamp is far from those before it is kept back until the next packet shows what it is. Where that follows it, both are the
/// beginning of another stream; where the stream goes on, it was a stray.
struct StrayWatch: Sendable {
    enum Verdict: Sendable, Equatable {
        /// It goes on with what came before.
        case related
        /// It is kept back, or was sent twice.
        case stray
        /// It follows the one that was kept back.
        case follows(Arrived)
    }

    /// A packet, and when it came, on the monotonic clock.
    struct Arrived: Sendable, Equatable {
        var packet: RTPPacket
        /// How long it lasts.
        var frames: Int
        var nanoseconds: UInt64
    }

    /// Of the stream.
    private var last: Arrived?
    private var held: Arrived?
    /// Time that the stamps have counted since the first, in seconds, and the least by which packets came behind it.
    private var seconds = 0.0
    private var leastAge = Double.infinity

    /// Of the packets behind a new beginning some may be lost.
    private static let mostLost = 16

    /// - Parameter rate: of the time stamps, in hertz.
    mutating func judge(_ arrived: Arrived, rate: Int) -> Verdict {
        let stepped = last.map { Double(arrived.timeStep(from: $0)) / Double(rate) } ?? 0
        let age = Double(arrived.nanoseconds) / 1e9 - (seconds + stepped)
        if let last, isFar(arrived, from: last, isAhead: age < leastAge - Self.slack(rate)) {
            guard let held else {
                self.held = arrived
                return .stray
            }
            let step = arrived.numberStep(from: held)
            if (1...Self.mostLost).contains(step), abs(arrived.excess(over: held)) <= JitterBuffer.backReach {
                return .follows(held)
            }
            if step != 0 { self.held = arrived }
            return .stray
        }
        (last, held) = (arrived, nil)
        seconds += stepped
        leastAge = min(leastAge, age)
        return .related
    }

    private static func slack(_ rate: Int) -> Double { Double(JitterBuffer.backReach) / Double(rate) }

    /// - Parameter isAhead: whether it came before its time. A stamp that steps on as time has passed tells of a pause.
    private func isFar(_ arrived: Arrived, from last: Arrived, isAhead: Bool) -> Bool {
        let step = arrived.numberStep(from: last)
        guard step.magnitude < JitterBuffer.reach else { return true }
        let excess = arrived.excess(over: last)
        guard step > 0 else { return excess.magnitude > JitterBuffer.backReach }
        return excess > JitterBuffer.backReach ? isAhead : arrived.timeStep(from: last) < -JitterBuffer.backReach
    }
}

extension StrayWatch.Arrived {
    fileprivate func numberStep(from other: Self) -> Int {
        Int(Int16(bitPattern: packet.sequence &- other.packet.sequence))
    }

    fileprivate func timeStep(from other: Self) -> Int {
        Int(Int32(bitPattern: packet.timeStamp &- other.packet.timeStamp))
    }

    /// Frames by which the time stamp steps farther than the number.
    fileprivate func excess(over other: Self) -> Int {
        timeStep(from: other) - numberStep(from: other) * other.frames
    }
}

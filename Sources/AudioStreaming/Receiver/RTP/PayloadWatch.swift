/// Finds out that the packets of a sender of RTP are not what they are taken for: their time stamps step by other than what they
/// would last then. Bytes of one codec are often packets of another, so that decoding alone does not show it.
struct PayloadWatch: Sendable {
    enum State: Sendable {
        /// No packet has been borne out by the next one.
        case unknown
        case trusted
        case refused
    }

    private(set) var state = State.unknown
    private(set) var wasTrusted = false
    private var last: (sequence: UInt16, time: UInt32, frames: Int)?
    private var doubt = 0

    // Some packets of another codec may look right, as those of silence.
    private static let most = 8
    private static let weight = 2

    /// Takes a packet in the order of its arrival.
    ///
    /// - Parameters:
    ///   - frames: what it lasts; `nil` where it is not what is expected.
    ///   - mayPause: whether the codec pauses in silence without a mark.
    mutating func add(_ packet: RTPPacket, frames: Int?, mayPause: Bool) {
        var isWrong = frames == nil
        var isRight = false
        if let last, packet.sequence == last.sequence &+ 1 {
            let step = Int(Int32(bitPattern: packet.timeStamp &- last.time))
            isRight = !isWrong && step == last.frames
            // A mark says that the time steps.
            isWrong = isWrong || !packet.isMarked && (step < last.frames || step > last.frames && !mayPause)
        }
        if isWrong { doubt += Self.weight } else if isRight { doubt = max(0, doubt - 1) }
        if doubt >= Self.most {
            state = .refused
        } else if last != nil, !isWrong {
            (state, wasTrusted) = (.trusted, true)
        }
        last = frames.map { (packet.sequence, packet.timeStamp, $0) }
    }
}

/// A player that a recording goes with: the first frame of what it plays, and the last, as requests, once each.
///
/// The audio thread stores the positions of the first start and of an end before it writes the frames at these positions to a
/// tap. So they are known when a block has been read from the tap, however fast the server runs.
struct FollowedPlayer {
    private let player: Player
    private let latencyFrames: UInt64
    private var isBegun = false
    private var isOver = false

    init(_ player: Player, latencyFrames: Int) {
        self.player = player
        self.latencyFrames = UInt64(max(0, latencyFrames))
    }

    /// What there is to ask for since the last call.
    mutating func takeRequests() -> [RecordingGate.Request] {
        // In this order: what has an end has a start, but where there was nothing to be heard.
        guard !isOver else { return [] }
        let end = player.endPosition
        var requests: [RecordingGate.Request] = []
        if !isBegun, let start = player.firstPosition ?? end {
            isBegun = true
            requests.append(RecordingGate.Request(position: start + latencyFrames, kind: .begin))
        }
        if isBegun, let end {
            isOver = true
            requests.append(RecordingGate.Request(position: end + latencyFrames, kind: .end))
        }
        return requests
    }
}

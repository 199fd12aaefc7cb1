import AudioFiles

/// What a player plays with JACK's transport, one thing after the other from the transport's frame 0 on.
struct TransportTimeline {
    private(set) var playbacks: [Playback] = []
    /// The frame that was made ready last, and the engine's position then.
    private var last: (frame: Int, position: UInt64)?

    mutating func set(_ playbacks: [Playback]) {
        self.playbacks = playbacks
        forget()
    }

    /// What was made ready is of no use, as after a change of the rate.
    mutating func forget() { last = nil }

    /// Whether a frame that the audio thread wants is to be made ready. It may not have looked at the last one yet.
    mutating func takes(_ frame: Int, atPosition position: UInt64) -> Bool {
        guard !playbacks.isEmpty else { return false }
        if let last, last.frame == frame, last.position == position { return false }
        noteTaken(frame, atPosition: position)
        return true
    }

    /// It is made ready.
    mutating func noteTaken(_ frame: Int, atPosition position: UInt64) { last = (frame, position) }

    /// What is to be played from a frame of the transport on; empty behind the end.
    func pieces(from frame: Int, sampleRate: Int) -> [ScheduledPiece] {
        guard let place = Self.place(of: frame, in: playbacks.map(\.item.seconds), sampleRate: sampleRate) else {
            return []
        }
        var pieces = playbacks[place.index...].map { ScheduledPiece(playback: $0) }
        pieces[0].heardSeconds = place.seconds
        return pieces
    }

    /// Which of several things that follow each other a frame lies in, and at what time of it; `nil` behind the end.
    ///
    /// - Parameter lengths: in seconds; `nil` for one that does not end.
    static func place(of frame: Int, in lengths: [Double?], sampleRate: Int) -> (index: Int, seconds: Double)? {
        var rest = frame
        for (index, length) in lengths.enumerated() {
            let frames = length.map { frameCount(of: $0, at: sampleRate) } ?? .max
            if rest < frames { return (index, Double(rest) / Double(sampleRate)) }
            rest -= frames
        }
        return nil
    }
}

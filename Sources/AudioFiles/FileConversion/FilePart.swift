/// Where frames of a file are in what is made of a part of it, at another rate.
struct FilePart {
    /// The first frame of the part.
    let start: Int
    /// Of the new rate to the old one.
    let ratio: Double
    /// Of what is made, in frames.
    let length: Int

    /// `nil` beyond the part. Floating until it is known to be within: a file may name any frame.
    private func frame(_ frame: Int) -> Int? {
        let moved = ((Double(frame) - Double(start)) * ratio).rounded()
        return (0...Double(length)).contains(moved) ? Int(moved) : nil
    }

    /// `nil` for a marker beyond the part.
    func moved(_ marker: Marker) -> Marker? {
        frame(marker.frame).map { Marker(frame: $0, label: marker.label) }
    }

    /// `nil` for a loop that is not all within the part.
    func moved(_ loop: SoundFileLoop) -> SoundFileLoop? {
        guard let start = frame(loop.startFrame), let end = frame(loop.endFrame), start < end else { return nil }
        var moved = loop
        (moved.startFrame, moved.endFrame) = (start, end)
        return moved
    }
}

extension BroadcastInfo {
    /// Moves the time reference to a later frame of the file, and to another rate. A reference that is not a count of
    /// frames, as 2⁶⁴ − 1 is not, becomes 0.
    ///
    /// - Returns: whether it is one.
    mutating func startLater(by frames: Int, of rate: Int, at newRate: Int) -> Bool {
        let (frame, rate) = (UInt128(timeReferenceFrames) + UInt128(frames), UInt128(rate))
        let moved = UInt64(exactly: (2 * frame * UInt128(newRate) + rate) / (2 * rate))
        // libsndfile, and all that counts frames, does it with a sign.
        let isCount = moved.flatMap { Int(exactly: $0) } != nil
        timeReferenceFrames = isCount ? moved ?? 0 : 0
        return isCount
    }
}

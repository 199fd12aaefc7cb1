/// Where frames of a file are in what is made of a part of it, at another rate.
struct FilePart {
    /// The first frame of the part.
    let start: Int
    /// Of the new rate to the old one.
    let ratio: Double
    /// Of what is made, in frames.
    let length: Int

    private func frame(_ frame: Int) -> Int { Int((Double(frame - start) * ratio).rounded()) }

    /// `nil` for a marker beyond the part.
    func moved(_ marker: Marker) -> Marker? {
        let frame = frame(marker.frame)
        return (0...length).contains(frame) ? Marker(frame: frame, label: marker.label) : nil
    }

    /// `nil` for a loop that is not all within the part.
    func moved(_ loop: SoundFileLoop) -> SoundFileLoop? {
        var moved = loop
        (moved.startFrame, moved.endFrame) = (frame(loop.startFrame), frame(loop.endFrame))
        return moved.startFrame >= 0 && moved.startFrame < moved.endFrame && moved.endFrame <= length ? moved : nil
    }
}

extension SoundFileMetadata {
    /// Of a file whose first frame is a later one: Broadcast Wave counts it from midnight.
    func startingLater(by frames: Int, of rate: Int, at newRate: Int) -> SoundFileMetadata {
        guard var broadcast else { return self }
        let frame = Double(broadcast.timeReferenceFrames) + Double(frames)
        broadcast.timeReferenceFrames = UInt64((frame * Double(newRate) / Double(rate)).rounded())
        var later = self
        later.broadcast = broadcast
        return later
    }
}

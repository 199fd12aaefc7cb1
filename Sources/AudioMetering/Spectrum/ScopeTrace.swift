extension SoundScope {
    /// A picture of the wave that stands still: it begins where the sound rises through 0.
    package struct Trace: Encodable {
        /// In milliseconds.
        package var span: Double
        /// In steps of 1/127.
        package var samples: [Int]

        /// Frames in the picture.
        package static let frames = 1024
        /// One in so many frames is enough for the page.
        private static let step = 4

        /// - Parameter sound: the last samples, longer than the picture.
        package init(_ sound: [Float], sampleRate: Int) {
            span = Double(Self.frames) / Double(sampleRate) * 1000
            let last = max(0, sound.count - Self.frames)
            let start = RisingEdge.last(in: sound, before: last).map { Int($0) } ?? last
            samples = stride(from: start, to: min(start + Self.frames, sound.count), by: Self.step).map {
                Int((max(-1, min(1, sound[$0])) * 127).rounded())
            }
        }
    }
}

import AudioRealtime

/// The worker's end of a feed: frames go in, what the audio thread says of them comes out.
final class FeedLine {
    let cell: Cell<ReceiverFeed>
    private var frames: FrameProducer
    private var readings: Consumer<ReceiverReading>
    /// The number of the next frame.
    private(set) var written: Int
    private var isSilenced = false

    /// More frames than a stream has in a day at 48 kHz, and than any feed holds.
    private static let beyondAll = 1 << 32

    /// - Parameters:
    ///   - first: the number of the first frame.
    ///   - place: where the audio thread is to read at a time in nanoseconds on the monotonic clock, from which it finds where to begin.
    ///   - capacity: in frames.
    init(
        channels: Int, capacity: Int, step: Double, first: Int, from place: Int, at nanoseconds: UInt64,
        sampleRate: Int
    ) {
        let ring = FrameRing(channels: channels, capacity: capacity)
        let readings = Ring<ReceiverReading>(capacity: 1024)
        cell = Cell(
            ReceiverFeed(
                ring.consumer, readings: readings.producer, step: step, first: first, from: place,
                at: nanoseconds, sampleRate: sampleRate))
        frames = ring.producer
        self.readings = readings.consumer
        written = first
    }

    func reading() -> ReceiverReading? { readings.pop() }

    // SAFETY: here and below, the cell keeps the feed, and each call is atomic.
    func setStep(_ step: Double) { unsafe cell.pointer.pointee.setStep(step) }
    func jump(by count: Int) { unsafe cell.pointer.pointee.jump(by: count) }

    /// From the next block on the feed is silent: its place jumps beyond all frames.
    func silence() {
        guard !isSilenced else { return }
        isSilenced = true
        jump(by: Self.beyondAll)
    }

    /// Writes frames, one run for each channel; returns whether there was room for them.
    func write(_ planes: [[Float]], count: Int) -> Bool {
        guard count > 0 else { return true }
        guard frames.hasRoom(for: count) else { return false }
        for (channel, plane) in planes.enumerated() {
            var plane = plane
            frames.copyFinite(from: &plane, count: count, channel: channel)
        }
        frames.publish(count)
        written += count
        return true
    }
}

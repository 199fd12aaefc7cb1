import AudioDSP

/// Plays a probe signal by the frame clock: at time t the frame t mod its length, and nothing else decides.
///
/// It remembers nothing from one cycle to the next. A receiver of the signal knows from the clock alone what was sent
/// when, so that sender and receiver need no wire between them, and a cycle that was skipped leaves no trace.
@safe package struct ProbePlayer: ~Copyable {
    private let table: Row<Float>
    /// How many frames the signal has before it begins again: a power of two, so that it goes on where JACK's frame
    /// clock wraps.
    package let length: Int

    /// - Parameter signal: as many samples as some power of two.
    package init(_ signal: [Float]) {
        precondition(signal.count >= 1 && signal.count & (signal.count - 1) == 0)
        length = signal.count
        table = Row(signal)
    }

    /// Writes what is sent from `frameTime` on to the first output. Thread: audio. Wait-free.
    @_noLocks @_noAllocation
    func play(into outputs: borrowing PortBuffers, frames: Int, frameTime: UInt32) {
        guard let output = outputs.run(0, from: 0, count: frames) else { return }
        play(into: output, frameTime: frameTime)
    }

    /// Writes what is sent from `frameTime` on. Thread: audio. Wait-free.
    @_noLocks @_noAllocation
    package func play(into output: Samples, frameTime: UInt32) {
        var start = 0
        while start < output.count {
            let place = (Int(frameTime) + start) & (length - 1)
            let count = min(output.count - start, length - place)
            output.slice(from: start, count: count).copy(from: table.samples.slice(from: place, count: count))
            start += count
        }
    }
}

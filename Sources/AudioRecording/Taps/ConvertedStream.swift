import AudioFiles
import AudioIO
import Synchronization

/// A tap's buffers on their way to another rate: what comes in one run is one stream, and makes buffers of one length.
final class ConvertedStream: Sendable {
    private let format: StreamFormat
    private let frames: Int
    private let state = Mutex(State())

    private struct State: ~Copyable {
        var run: Run?
        /// Frames at the converted rate that are missing before the next buffer.
        var lostFrames: UInt64 = 0
    }

    /// What is converted without a seam.
    private struct Run: ~Copyable {
        var converter: StreamConverter
        let start: BufferTime
        /// Behind the last buffer that came.
        var endPosition: UInt64
        /// Made and not handed over yet, by channel.
        var gathered: [[Float]]
        var handedFrames: UInt64 = 0

        /// Frames at the converted rate that are due for all that came, and were not handed over.
        var restFrames: UInt64 {
            let due = converter.outputFrames(of: Int(clamping: endPosition - start.position))
            return UInt64(max(0, due - Int(handedFrames)))
        }

        /// Takes a buffer; `nil` is the end of the stream, at which what was held back comes out.
        ///
        /// - Returns: whether the converter could do it; if not, it can do no more.
        mutating func convert(_ input: PCMBuffer?) -> Bool {
            // Out of the struct meanwhile, which the closure may not touch.
            var made: [[Float]] = []
            swap(&made, &gathered)
            let status =
                if let input {
                    converter.push(input) { Self.gather($0, &made) }
                } else {
                    converter.finish { Self.gather($0, &made) }
                }
            gathered = made
            return status == .inputRanDry || status == .endOfStream
        }

        private static func gather(_ buffer: PCMBuffer, _ made: inout [[Float]]) {
            for channel in made.indices {
                buffer.withSamples(of: Float.self, channel: channel) { samples in
                    for index in samples.indices { made[channel].append(samples[index]) }
                }
            }
        }
    }

    init(_ format: StreamFormat, frames: Int) {
        self.format = format
        self.frames = frames
    }

    static func converter(
        from sampleRate: Int, channels: Int, to format: StreamFormat
    ) throws(ConversionError) -> StreamConverter {
        try StreamConverter(
            from: StreamFormat(sampleRate: sampleRate, channels: channels, layout: .planar), to: format,
            ConverterSettings(quality: .medium))
    }

    /// Takes a buffer of the tap; returns those that have become full.
    func take(_ buffer: AudioBuffer, at time: BufferTime) -> [(AudioBuffer, BufferTime)] {
        state.withLock { state in
            var made: [(AudioBuffer, BufferTime)] = []
            if let run = state.run.take() {
                if run.endPosition == time.position && run.start.sampleRate == time.sampleRate {
                    state.run = consume run
                } else {
                    end(run, &made, &state.lostFrames)
                }
            }
            state.lostFrames += scaled(time.lostFrames, from: time.sampleRate)
            if state.run == nil { state.run = begin(buffer, at: time) }
            // No server's rate differs so much from any that no converter can be made.
            guard var run = state.run.take() else {
                state.lostFrames += scaled(UInt64(buffer.frames), from: time.sampleRate)
                return made
            }
            run.endPosition = time.position + UInt64(buffer.frames)
            if run.convert(PCMBuffer(run.converter.inputFormat, buffer.samples)) {
                hand(&run, at: time, &made, &state.lostFrames)
                state.run = consume run
            } else {
                // The next buffer begins another.
                end(run, &made, &state.lostFrames)
            }
            return made
        }
    }

    /// Nothing more comes: returns the buffers that what was held back fills.
    func finish() -> [(AudioBuffer, BufferTime)] {
        state.withLock { state in
            var made: [(AudioBuffer, BufferTime)] = []
            if let run = state.run.take() { end(run, &made, &state.lostFrames) }
            return made
        }
    }

    private func begin(_ buffer: AudioBuffer, at time: BufferTime) -> Run? {
        guard
            let converter = try? Self.converter(from: time.sampleRate, channels: buffer.channels, to: format)
        else { return nil }
        return Run(
            converter: converter, start: time, endPosition: time.position,
            gathered: [[Float]](repeating: [], count: format.channels))
    }

    /// What is held back of a run comes out; what fills no buffer is lost, as it is with a tap, and so is what the converter
    /// could not do.
    private func end(_ over: consuming Run, _ made: inout [(AudioBuffer, BufferTime)], _ lost: inout UInt64) {
        var run = over
        _ = run.convert(nil)
        hand(&run, at: run.start, &made, &lost)
        lost += run.restFrames
    }

    private func hand(
        _ run: inout Run, at latest: BufferTime, _ made: inout [(AudioBuffer, BufferTime)], _ lost: inout UInt64
    ) {
        while run.gathered[0].count >= frames {
            let offset = Double(run.handedFrames) / Double(format.sampleRate)
            let position = run.start.position + UInt64((offset * Double(run.start.sampleRate)).rounded())
            let time = BufferTime(
                position: position,
                frameTime: run.start.frameTime &+ UInt32(truncatingIfNeeded: position - run.start.position),
                hostNanoseconds: latest.hostNanoseconds(atPosition: position), sampleRate: format.sampleRate,
                lostFrames: lost)
            lost = 0
            made.append((AudioBuffer(run.gathered.map { Array($0.prefix(frames)) }), time))
            for channel in run.gathered.indices { run.gathered[channel].removeFirst(frames) }
            run.handedFrames += UInt64(frames)
        }
    }

    private func scaled(_ frames: UInt64, from sampleRate: Int) -> UInt64 {
        UInt64((Double(frames) * Double(format.sampleRate) / Double(sampleRate)).rounded())
    }
}

extension BufferTime {
    /// On the monotonic clock, of a frame nearby.
    fileprivate func hostNanoseconds(atPosition other: UInt64) -> UInt64 {
        let frames = Double(other) - Double(position)
        return UInt64(max(0, Double(hostNanoseconds) + (frames * 1e9 / Double(sampleRate)).rounded()))
    }
}

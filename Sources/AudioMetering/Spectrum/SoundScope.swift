import Glibc
import Synchronization

/// Looks at what a node renders, for the page: levels, a waveform and a spectrum. Fed by a tap.
///
/// Thread: the tap's worker adds, another takes.
package final class SoundScope: Sendable {
    /// The lowest and the highest sample of a column, in steps of 1/127.
    package typealias Column = [Int]

    private struct State {
        /// Of each channel since they were taken.
        var peaks: [Float]
        var columns: [Column] = []
        /// What there is of the next column: its frames, with their lowest and highest sample.
        var next = (frames: 0, low: Float.infinity, high: -Float.infinity)
        /// The last samples of the mean of all channels.
        var last: [Float]
        var start = 0
        var sampleRate = 48000
    }

    private let state: Mutex<State>

    /// Frames whose spectrum is looked at.
    package static let spectrumFrames = 4096
    package static let bands = 96
    /// Of the bands, in hertz, of equal width in octaves.
    package static let edges = (0...bands).map { hertz.low * pow(hertz.high / hertz.low, Double($0) / Double(bands)) }
    package static let centres = zip(edges, edges.dropFirst()).map { sqrt($0 * $1) }
    package static let hertz = (low: 20.0, high: 20000.0)
    private static let columnsLimit = 256

    package init(channels: Int) {
        let state = State(
            peaks: Array(repeating: 0, count: channels), last: Array(repeating: 0, count: Self.spectrumFrames))
        self.state = Mutex(state)
    }

    /// How many frames are a column of the waveform, at a rate.
    package static func columnFrames(_ sampleRate: Int) -> Int { max(16, sampleRate / 128) }

    /// Adds a buffer.
    ///
    /// - Parameter channels: the samples of each, as many of each.
    package func add(_ channels: [ArraySlice<Float>], sampleRate: Int) {
        let scale = 1 / Float(channels.count)
        var mean = [Float](repeating: 0, count: channels.first?.count ?? 0)
        var peaks = [Float](repeating: 0, count: channels.count)
        for (channel, samples) in channels.enumerated() {
            for (index, sample) in samples.enumerated() {
                let magnitude = abs(sample)
                // What is no number has no level.
                if magnitude > peaks[channel], magnitude.isFinite { peaks[channel] = magnitude }
                mean[index] += sample.shown * scale
            }
        }
        // The buffers keep their length where the server comes back at another rate.
        let columnFrames = Self.columnFrames(sampleRate)
        state.withLock { state in
            for (channel, peak) in peaks.enumerated() where channel < state.peaks.count {
                state.peaks[channel] = max(state.peaks[channel], peak)
            }
            for sample in mean {
                state.last[state.start] = sample
                state.start = (state.start + 1) % Self.spectrumFrames
                let (frames, low, high) = state.next
                state.next = (frames + 1, min(low, sample), max(high, sample))
                guard state.next.frames >= columnFrames else { continue }
                let column = [state.next.low, state.next.high]
                state.columns.append(column.map { Int((max(-1, min(1, $0)) * 127).rounded()) })
                if state.columns.count > Self.columnsLimit { state.columns.removeFirst() }
                state.next = (0, .infinity, -.infinity)
            }
            state.sampleRate = sampleRate
        }
    }

    /// The highest magnitude of each channel since the last call, and the columns that have come.
    package func take() -> (peaks: [Float], columns: [Column]) {
        state.withLock { state in
            defer {
                state.peaks = Array(repeating: 0, count: state.peaks.count)
                state.columns = []
            }
            return (state.peaks, state.columns)
        }
    }

    /// The last samples in their order, and their rate.
    package func recent() -> (samples: [Float], sampleRate: Int) {
        state.withLock { (Array($0.last[$0.start...] + $0.last[..<$0.start]), $0.sampleRate) }
    }
}

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

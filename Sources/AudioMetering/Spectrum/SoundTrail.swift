import Synchronization

/// The last seconds of a sound, for what draws it: the mean of its channels, and its lowest and highest samples over time.
///
/// Thread: any but audio. One adds, as a tap's worker; others take copies.
public final class SoundTrail: Sendable {
    /// What a stretch of the sound looks like: 25 ms of it.
    public struct Column: Sendable, Equatable {
        /// The lowest sample of the mean of all channels.
        public var lowest: Float
        /// The highest one.
        public var highest: Float
        /// Whether a sample of any channel is at full scale or beyond.
        public var isClipped = false
        /// Whether frames are missing in it or before it.
        public var isGap = false

        /// See the properties.
        public init(lowest: Float, highest: Float, isClipped: Bool = false, isGap: Bool = false) {
            self.lowest = lowest
            self.highest = highest
            self.isClipped = isClipped
            self.isGap = isGap
        }
    }

    /// Columns a second.
    public static let columnsPerSecond = 40.0
    /// How many columns are kept: 25 s.
    public static let mostColumns = 1000
    /// How many samples are kept.
    public static let mostFrames = 1 << 15

    fileprivate struct State {
        var samples = [Float](repeating: 0, count: SoundTrail.mostFrames)
        /// Where the next sample goes, which is where the oldest one is.
        var next = 0
        var sampleRate = 48000
        /// The oldest ones are left out from time to time.
        var columns: [Column] = []
        var present: Column?
        var presentFrames = 0
    }

    private let state = Mutex(State())
    private let columnsPerSecond: Double

    /// One that has heard nothing.
    public convenience init() { self.init(columnsPerSecond: Self.columnsPerSecond) }

    package init(columnsPerSecond: Double) { self.columnsPerSecond = columnsPerSecond }

    /// - Parameters:
    ///   - signals: the channels, 1 or more, as long as each other. What is not finite counts as silence.
    ///   - lostFrames: that are missing before these.
    ///   - sampleRate: in hertz.
    public func add(_ signals: [ArraySlice<Float>], lostFrames: UInt64 = 0, sampleRate: Int) {
        guard let first = signals.first else { return }
        var mean = [Float](repeating: 0, count: first.count)
        var isClipped = [Bool](repeating: false, count: first.count)
        let scale = 1 / Float(signals.count)
        for signal in signals {
            let start = signal.startIndex
            for index in 0..<min(mean.count, signal.count) {
                let sample = signal[start + index].shown
                mean[index] += scale * sample
                if abs(sample) >= 1 { isClipped[index] = true }
            }
        }
        let length = max(1, Int(Double(sampleRate) / columnsPerSecond))
        state.withLock {
            $0.sampleRate = sampleRate
            $0.add(mean, isClipped, lostFrames: lostFrames, columnFrames: length)
        }
    }

    /// The last samples of the mean of all channels, oldest first, and their rate. Before the sound began there is silence.
    ///
    /// - Parameter frames: how many, at most `mostFrames`.
    public func recent(_ frames: Int) -> (samples: [Float], sampleRate: Int) {
        state.withLock { state in
            let frames = max(0, min(frames, Self.mostFrames))
            let newer = state.samples[..<state.next].suffix(frames)
            return (Array(state.samples.suffix(frames - newer.count) + newer), state.sampleRate)
        }
    }

    /// The last columns, oldest first.
    public func columns(_ count: Int) -> [Column] { state.withLock { Array($0.columns.suffix(max(0, count))) } }

    /// The last columns since the last call, oldest first.
    package func takeColumns(_ count: Int) -> [Column] {
        state.withLock { state in
            defer { state.columns = [] }
            return Array(state.columns.suffix(count))
        }
    }
}

extension SoundTrail.State {
    fileprivate mutating func add(
        _ mean: [Float], _ isClipped: [Bool], lostFrames: UInt64, columnFrames length: Int
    ) {
        if lostFrames > 0 {
            // As long as what is missing, where that fits.
            let gaps = min(SoundTrail.mostColumns, 1 + Int(min(lostFrames, 1 << 40)) / length)
            columns += Array(repeating: SoundTrail.Column(lowest: 0, highest: 0, isGap: true), count: gaps)
            (present, presentFrames) = (nil, 0)
        }
        for index in mean.indices {
            let sample = mean[index]
            samples[next] = sample
            next = (next + 1) % SoundTrail.mostFrames
            var column = present ?? SoundTrail.Column(lowest: sample, highest: sample)
            column.lowest = min(column.lowest, sample)
            column.highest = max(column.highest, sample)
            if isClipped[index] { column.isClipped = true }
            presentFrames += 1
            present = column
            if presentFrames >= length {
                columns.append(column)
                (present, presentFrames) = (nil, 0)
            }
        }
        if columns.count > 2 * SoundTrail.mostColumns { columns.removeFirst(columns.count - SoundTrail.mostColumns) }
    }
}

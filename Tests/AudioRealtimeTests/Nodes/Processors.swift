import AudioDSP
import Glibc
import Synchronization

// What users of the package might write.

/// A gain that never changes.
struct Halving: AudioProcessor, ~Copyable {
    mutating func process(_ block: borrowing ProcessorBlock) {
        for channel in 0..<block.channels {
            var samples = block[channel]
            for frame in samples.indices { samples[frame] *= 0.5 }
        }
    }
}

@_noLocks @_noAllocation
func halving(_ call: ProcessorCall) { call.process(Halving.self) }

/// y[n] = x[n] + a · y[n − 1], and a wave in the gain that runs through all channels: it remembers something of each block.
struct Wobble: AudioProcessor, ~Copyable {
    private var last = InlineArray<2, Float>(repeating: 0)
    private var phase = 0
    private let period: Int

    init(period: Int = 7) { self.period = period }

    mutating func process(_ block: borrowing ProcessorBlock) {
        for frame in 0..<block.frames {
            let gain = Float(phase) / Float(period)
            for channel in 0..<min(2, block.channels) {
                last[channel] = block[channel, frame] + 0.5 * last[channel]
                block[channel, frame] = last[channel] * gain
            }
            phase = phase + 1 == period ? 0 : phase + 1
        }
    }

    mutating func reset(sampleRate: Int) {
        last = .init(repeating: 0)
        phase = 0
    }
}

@_noLocks @_noAllocation
func wobble(_ call: ProcessorCall) { call.process(Wobble.self) }

/// Swaps left and right: two spans of one block at once.
struct Swapping: AudioProcessor, ~Copyable {
    mutating func process(_ block: borrowing ProcessorBlock) {
        var left = block[0]
        var right = block[1]
        for frame in left.indices { (left[frame], right[frame]) = (right[frame], left[frame]) }
    }
}

@_noLocks @_noAllocation
func swapping(_ call: ProcessorCall) { call.process(Swapping.self) }

/// Writes a number that it was made with, whatever comes in; or, on request, what a block says of itself.
struct Writer: AudioProcessor, ~Copyable {
    enum Subject { case value, frames, position, sampleRate, channels }

    let value: Float
    var subject = Subject.value

    mutating func process(_ block: borrowing ProcessorBlock) {
        let number =
            switch subject {
            case .value: value
            case .frames: Float(block.frames)
            case .position: Float(block.position)
            case .sampleRate: Float(block.sampleRate)
            case .channels: Float(block.channels)
            }
        for channel in 0..<block.channels {
            for frame in 0..<block.frames { block[channel, frame] = number }
        }
    }
}

@_noLocks @_noAllocation
func writer(_ call: ProcessorCall) { call.process(Writer.self) }

/// Writes the sample rate that it was told when the stream began.
struct Rate: AudioProcessor, ~Copyable {
    private var rate: Float = -1

    mutating func process(_ block: borrowing ProcessorBlock) {
        for frame in 0..<block.frames { block[0, frame] = rate }
    }

    mutating func reset(sampleRate: Int) { rate = Float(sampleRate) }
}

@_noLocks @_noAllocation
func rate(_ call: ProcessorCall) { call.process(Rate.self) }

/// Divides by its input, so that silence makes infinities.
struct Reciprocal: AudioProcessor, ~Copyable {
    mutating func process(_ block: borrowing ProcessorBlock) {
        for channel in 0..<block.channels {
            for frame in 0..<block.frames { block[channel, frame] = 1 / block[channel, frame] }
        }
    }
}

@_noLocks @_noAllocation
func reciprocal(_ call: ProcessorCall) { call.process(Reciprocal.self) }

/// How often the states that have this log ended, and where.
final class EndLog: Sendable {
    let count = Atomic(0)
    let thread = Atomic<UInt>(0)
}

/// Adds one to all that comes, and leaves a note when it ends.
struct Mortal: AudioProcessor, ~Copyable {
    let log: EndLog

    deinit {
        log.count.add(1, ordering: .relaxed)
        log.thread.store(UInt(pthread_self()), ordering: .relaxed)
    }

    mutating func process(_ block: borrowing ProcessorBlock) {
        for frame in 0..<block.frames { block[0, frame] += 1 }
    }
}

@_noLocks @_noAllocation
func mortal(_ call: ProcessorCall) { call.process(Mortal.self) }

/// Touches a frame behind the last one, a channel behind the last one, or one before the first.
struct Careless: AudioProcessor, ~Copyable {
    var channel = 0
    var frame = 0

    mutating func process(_ block: borrowing ProcessorBlock) { block[channel, frame] = 1 }
}

@_noLocks @_noAllocation
func careless(_ call: ProcessorCall) { call.process(Careless.self) }

/// As above, by way of a span.
struct CarelessSpan: AudioProcessor, ~Copyable {
    var channel = 0
    var frame = 0

    mutating func process(_ block: borrowing ProcessorBlock) {
        var samples = block[channel]
        samples[frame] = 1
    }
}

@_noLocks @_noAllocation
func carelessSpan(_ call: ProcessorCall) { call.process(CarelessSpan.self) }

/// What the compiler refuses under the annotation, planted where nothing checks it.
struct Allocating: AudioProcessor, ~Copyable {
    private var lengths: [Int] = []

    mutating func process(_ block: borrowing ProcessorBlock) { lengths.append(block.frames) }
}

func unannotated(_ call: ProcessorCall) { call.process(Allocating.self) }

import AudioDSP
import AudioIO
import CheckedProcessors
import Leaf

// The library of the manual's article on processors: each of them calls code in C, into which the compiler does not look.

struct GainSetting: BitwiseCopyable, ParameterSetting {
    var gain: Float = 1
    var isInverted = false
    static let fields: [ParameterField<Self>] = [
        .number("gain", "how loud", 0...2, \.gain),
        .flag("inverted", "upside down", \.isInverted),
    ]
}

struct Good: AudioProcessor, ~Copyable {
    private var setting: ParameterReader<GainSetting>

    init(_ setting: consuming ParameterReader<GainSetting>) { self.setting = setting }

    mutating func process(_ block: borrowing ProcessorBlock) {
        let setting = setting.newest()
        let gain = setting.isInverted ? -setting.gain : setting.gain
        for channel in 0..<block.channels {
            for frame in 0..<block.frames { block[channel, frame] = gain * leaf_scale(block[channel, frame]) }
        }
    }
}

@_noLocks @_noAllocation
func good(_ call: ProcessorCall) { call.process(Good.self) }

struct Allocating: AudioProcessor, ~Copyable {
    private var count = 0

    mutating func process(_ block: borrowing ProcessorBlock) {
        block[0, 0] = leaf_allocates(block[0, 0], count)
        count += 1
    }
}

@_noLocks @_noAllocation
func allocating(_ call: ProcessorCall) { call.process(Allocating.self) }

struct Locking: AudioProcessor, ~Copyable {
    private var count = 0

    mutating func process(_ block: borrowing ProcessorBlock) {
        block[0, 0] = leaf_locks(block[0, 0], count)
        count += 1
    }
}

@_noLocks @_noAllocation
func locking(_ call: ProcessorCall) { call.process(Locking.self) }

/// In one setting only.
struct Printing: AudioProcessor, ~Copyable {
    private var setting: ParameterReader<GainSetting>
    private var count = 0

    init(_ setting: consuming ParameterReader<GainSetting>) { self.setting = setting }

    mutating func process(_ block: borrowing ProcessorBlock) {
        if setting.newest().isInverted { block[0, 0] = leaf_prints(block[0, 0], 99) }
        // At the greatest gain it makes what is no number.
        if setting.newest().gain >= 2 { block[0, 0] = .nan }
    }
}

@_noLocks @_noAllocation
func printing(_ call: ProcessorCall) { call.process(Printing.self) }

@c(iounit_processors)
public func processors() {
    let group = ParameterGroup<GainSetting>()
    offer("good", Good(group.makeReader()), parameters: group.parameters, process: good)
    offer("allocating", Allocating(), channels: 1, process: allocating)
    offer("locking", Locking(), process: locking)
    let other = ParameterGroup<GainSetting>()
    offer("printing", Printing(other.makeReader()), parameters: other.parameters, latencyFrames: 3, process: printing)
}

import AudioDSP
import AudioIO
import CheckedProcessors
import Leaf

// The library of the manual's article on processors: each of them calls code in C, into which the compiler does not look.

struct TremoloSetting: BitwiseCopyable, ParameterSetting {
    var depth: Float = 0.5
    var hertz: Float = 5
    static let fields: [ParameterField<Self>] = [
        .number("depth", "how much softer it gets", 0...1, \.depth),
        .number("hertz", "how often it does", 0.1...20, unit: "Hz", taper: .logarithmic, \.hertz),
    ]
}

struct Tremolo: AudioProcessor, ~Copyable {
    private var setting: ParameterReader<TremoloSetting>
    private var phase: Float = 0

    init(_ setting: consuming ParameterReader<TremoloSetting>) { self.setting = setting }

    mutating func process(_ block: borrowing ProcessorBlock) {
        let setting = setting.newest()
        for frame in 0..<block.frames {
            let gain = 1 - setting.depth * abs(2 * phase - 1)
            for channel in 0..<block.channels { block[channel, frame] = gain * leaf_scale(block[channel, frame]) }
            phase += setting.hertz / Float(block.sampleRate)
            if phase >= 1 { phase -= 1 }
        }
    }

    mutating func reset(sampleRate: Int) { phase = 0 }
}

@_noLocks @_noAllocation
func tremolo(_ call: ProcessorCall) { call.process(Tremolo.self) }

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

struct GainSetting: BitwiseCopyable, ParameterSetting {
    var gain: Float = 1
    var isInverted = false
    static let fields: [ParameterField<Self>] = [
        .number("gain", "how loud", 0...2, \.gain),
        .flag("inverted", "upside down", \.isInverted),
    ]
}

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
    let group = ParameterGroup<TremoloSetting>()
    offer("tremolo", Tremolo(group.makeReader()), parameters: group.parameters, process: tremolo)
    offer("allocating", Allocating(), channels: 1, process: allocating)
    offer("locking", Locking(), process: locking)
    let other = ParameterGroup<GainSetting>()
    offer("printing", Printing(other.makeReader()), parameters: other.parameters, latencyFrames: 3, process: printing)
}

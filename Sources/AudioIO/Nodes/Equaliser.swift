import AudioDSP
import AudioRealtime
import Synchronization

/// Raises, lowers and takes out parts of the spectrum: up to 32 bands in a row (see `EqualiserBand`).
///
/// A change is a crossfade from the old bands to the new ones, behind at most a tenth of a second in which what is new settles
/// unheard; what is set meanwhile follows when it ends. During a change both are rendered, at twice the time. No latency.
/// Without bands, or where all are off or at 0 dB, the sound passes bit for bit and takes no time.
public final class Equaliser: Node {
    public let core: NodeCore
    private let driver: Driver

    /// How many bands it takes.
    public static let maximumBands = EqualiserSetting.maximumBands

    /// - Parameters:
    ///   - bands: in the order in which the sound passes them; what lies behind the 32nd is left out.
    ///   - channels: 1…256; `nil` for as many as the engine has outputs.
    public init(_ bands: [EqualiserBand] = [], channels: Int? = nil) {
        driver = Driver(bands)
        core = NodeCore("equaliser", channels: channels, driver: driver)
    }

    /// In the order in which the sound passes them; what lies behind the 32nd is left out. Thread: any but audio.
    public var bands: [EqualiserBand] {
        get { driver.bands }
        set { change { $0 = newValue } }
    }

    /// Changes several bands at once. Thread: any but audio.
    ///
    /// - Parameter body: must not call the node, whose lock is held: that would be a deadlock.
    public func change(_ body: (inout [EqualiserBand]) -> Void) { driver.change { body(&$0.bands) } }

    /// Leaves the sound alone, bit for bit; the bands stay as they are. Thread: any but audio.
    public var isBypassed: Bool {
        get { driver.isBypassed }
        set { driver.change { $0.isBypassed = newValue } }
    }

    /// The bypass, and for each band that there is now `1/kind`, `1/hertz`, `1/gain`, `1/q` and `1/on`, with the band's number.
    public var parameters: [Parameter] {
        let bypass = ParameterInfo.flag("bypass", "leave the signal alone: no equaliser")
        return [
            Parameter(bypass) { [driver] in
                .flag(driver.isBypassed)
            } write: { [driver] value in
                if let isOn = value.isOn { driver.change { $0.isBypassed = isOn } }
            }
        ]
            + bands.indices.flatMap { index in
                EqualiserBand.fields.map { field in
                    var info = field.info
                    info.name = "\(index + 1)/\(info.name)"
                    info.summary += " of band \(index + 1) of the equaliser"
                    return Parameter(info) { [driver] in
                        // There may be fewer bands by now.
                        let bands = driver.bands
                        return bands.indices.contains(index) ? field.value(in: bands[index]) : field.info.initial
                    } write: { [driver] value in
                        driver.change {
                            if $0.bands.indices.contains(index) { field.set(value, in: &$0.bands[index]) }
                        }
                    }
                }
            }
    }

    /// The gain of all bands together at a frequency, in dB: what is heard once a change is over, at the engine's sample rate
    /// (48 kHz before it is attached). At a notch's frequency it may be −∞. Thread: any but audio.
    ///
    /// - Parameter hertz: beyond half the sample rate as there, below 0 as at 0.
    public func response(atHertz hertz: Double) -> Double { driver.setting.decibels(atHertz: hertz) }

    /// As above, of many frequencies: for a curve.
    public func response(atHertz hertz: [Double]) -> [Double] {
        let setting = driver.setting
        return hertz.map { setting.decibels(atHertz: $0) }
    }

    private final class Driver: NodeDriver {
        private let state: Mutex<State>

        struct State: ~Copyable {
            var bands: [EqualiserBand]
            var isBypassed = false
            fileprivate var setting: EqualiserSetting
            fileprivate var control: EqualiserControl?

            init(_ bands: [EqualiserBand]) {
                self.bands = bands
                setting = EqualiserSetting(sampleRate: 48_000)
                prepare(sampleRate: 48_000)
            }

            /// Makes the setting of what is wanted.
            mutating func prepare(sampleRate: Int) {
                bands = Array(bands.prefix(maximumBands))
                setting = EqualiserSetting(isBypassed ? [] : bands, sampleRate: sampleRate)
            }
        }

        init(_ bands: [EqualiserBand]) { state = Mutex(State(bands)) }

        var bands: [EqualiserBand] { state.withLock { $0.bands } }
        var isBypassed: Bool { state.withLock { $0.isBypassed } }
        var setting: EqualiserSetting { state.withLock { $0.setting } }

        func change(_ body: (inout State) -> Void) {
            state.withLock { state in
                body(&state)
                state.prepare(sampleRate: state.setting.sampleRate)
                state.control?.put(state.setting)
            }
        }

        /// Until the bands have settled.
        var settlingFrames: Int { state.withLock { $0.setting.settlingFrames } }

        func makeBody(_ format: NodeFormat) -> NodeBody {
            state.withLock { state in
                state.prepare(sampleRate: format.sampleRate)
                let control = EqualiserControl(
                    channels: format.channels, state.setting, rampMilliseconds: format.rampMilliseconds)
                let body = control.state
                state.control = consume control
                return .processor(body)
            }
        }

        /// The same bands at the new rate; while sound runs, by a crossfade.
        func follow(_ format: NodeFormat) {
            state.withLock { state in
                state.prepare(sampleRate: format.sampleRate)
                state.control?.put(state.setting)
            }
        }
    }
}

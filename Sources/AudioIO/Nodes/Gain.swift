import AudioDSP
import AudioRealtime
import Synchronization

/// Makes what it hears louder or softer. A change is a ramp.
public final class Gain: Node {
    public let core: NodeCore
    private let driver: Driver

    /// - Parameters:
    ///   - decibels: −120…60; what lies outside is moved to the nearest end.
    ///   - channels: 1…256; `nil` for as many as the engine has outputs.
    public init(decibels: Double = 0, channels: Int? = nil) {
        driver = Driver(Float(Decibels.linear(limited(decibels) ?? 0)))
        core = NodeCore("gain", channels: channels, driver: driver)
    }

    /// - Parameters:
    ///   - linear: 0…1000; what lies outside is moved to the nearest end. 0 is silence.
    ///   - channels: 1…256; `nil` for as many as the engine has outputs.
    public init(linear: Double, channels: Int? = nil) {
        driver = Driver(Float(max(0, min(linear, Decibels.linear(Decibels.range.upperBound)))))
        core = NodeCore("gain", channels: channels, driver: driver)
    }

    /// In decibels, −120…60; what lies outside is moved to the nearest end, NaN changes nothing. Silence is −∞.
    public var decibels: Double {
        get { Decibels.decibels(Double(driver.gain)) }
        set { if let decibels = limited(newValue) { driver.gain = Float(Decibels.linear(decibels)) } }
    }

    /// Linear, 0 or more; 0 is silence. What is below 0 or no number changes nothing.
    public var linear: Double {
        get { Double(driver.gain) }
        set { if newValue >= 0 { driver.gain = Float(min(newValue, Decibels.linear(Decibels.range.upperBound))) } }
    }

    package static let info = ParameterInfo.number("gain", "gain", Decibels.range, unit: "dB", span: -60...12)

    /// `gain`, in decibels.
    public var parameters: [Parameter] {
        [
            Parameter(Self.info) {
                .number(self.decibels)
            } write: { value in
                if let decibels = value.number { self.decibels = decibels }
            }
        ]
    }

    private final class Driver: NodeDriver {
        private let state: Mutex<State>

        private struct State {
            var gain: Float
            var body: Cell<GainState>?
        }

        init(_ gain: Float) { state = Mutex(State(gain: gain)) }

        var gain: Float {
            get { state.withLock { $0.gain } }
            set {
                state.withLock { state in
                    state.gain = newValue
                    // SAFETY: the cell is kept, and what is called is atomic.
                    unsafe state.body?.pointer.pointee.move(to: newValue)
                }
            }
        }

        func makeBody(_ format: NodeFormat) -> NodeBody {
            state.withLock { state in
                let body = Cell(GainState(state.gain))
                state.body = body
                return .gain(body)
            }
        }
    }
}

/// Moved into the range; `nil` of what is no number.
private func limited(_ decibels: Double) -> Double? {
    decibels.isNaN ? nil : max(Decibels.range.lowerBound, min(decibels, Decibels.range.upperBound))
}

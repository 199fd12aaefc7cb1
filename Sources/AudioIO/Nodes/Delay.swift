import AudioDSP
import AudioRealtime
import Synchronization

/// Lets what it hears out later. The only node that may close a loop; a loop's delay is one frame at least.
///
/// While the length changes, both delays are heard, the old one fading into the new one. The engine does not take this delay
/// for latency: parallel paths stay as they are, so that an echo is one.
///
/// A loop that amplifies grows without end. Where a sample comes around that is NaN, infinite or beyond 10¹³, the delay
/// forgets all that it holds, and the loop begins again from silence: an event tells of it, and
/// `UnitStatistics.nonFiniteSamples` counts.
public final class Delay: Node {
    public let core: NodeCore
    private let driver: Driver

    /// - Parameters:
    ///   - frames: 0…`maximumFrames`; what lies outside is moved to the nearest end.
    ///   - maximumFrames: the longest delay that it will ever have: it takes 4 bytes of memory for each frame and channel. 2²⁶,
    ///     23 minutes at 48 kHz, at the most; a longer one is limited to that.
    ///   - channels: 1…256; `nil` for as many as the engine has outputs.
    public init(frames: Int, maximumFrames: Int? = nil, channels: Int? = nil) {
        driver = Driver(frames, maximum: max(0, min(maximumFrames ?? frames, 1 << 26)))
        core = NodeCore("delay", channels: channels, driver: driver)
    }

    /// 0…`maximumFrames`; what lies outside is moved to the nearest end.
    public var frames: Int {
        get { driver.frames }
        set { driver.frames = newValue }
    }

    /// The longest delay that `frames` can be set to.
    public var maximumFrames: Int { driver.maximum }

    /// `frames`, of which fractions are rounded.
    public var parameters: [Parameter] {
        let info = ParameterInfo.number(
            "frames", "how much later the sound leaves", 0...Double(maximumFrames), unit: "frames")
        return [
            Parameter(info) {
                .number(Double(self.frames))
            } write: { value in
                if let frames = value.number { self.frames = Int(frames.rounded()) }
            }
        ]
    }

    private final class Driver: NodeDriver {
        let maximum: Int
        private let state: Mutex<State>

        private struct State {
            var frames: Int
            var body: Cell<DelayState>?
        }

        init(_ frames: Int, maximum: Int) {
            self.maximum = maximum
            state = Mutex(State(frames: max(0, min(frames, maximum))))
        }

        var frames: Int {
            get { state.withLock { $0.frames } }
            set {
                state.withLock { state in
                    state.frames = max(0, min(newValue, maximum))
                    // SAFETY: the cell is kept, and the call is atomic.
                    unsafe state.body?.pointer.pointee.move(to: state.frames)
                }
            }
        }

        /// A new one fades in behind what it has to hear first.
        var settlingFrames: Int { frames }

        func makeBody(_ format: NodeFormat) -> NodeBody {
            state.withLock { state in
                let body = Cell(
                    DelayState(channels: format.channels, frames: state.frames, maximumFrames: maximum))
                state.body = body
                return .delay(body)
            }
        }
    }
}

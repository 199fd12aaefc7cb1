import AudioRealtime

/// Adds up any number of inputs. Gain and pan of each are its connection's (`Engine.connect`).
///
/// What arrives with as many channels as the mixer has is added channel by channel. One channel goes to all of them as it is;
/// of many, a mixer of one channel takes the mean. What matches in neither way is refused by `connect`.
public final class Mixer: Node {
    public let core: NodeCore

    /// - Parameter channels: 1…256; `nil` for as many as the engine has outputs.
    public init(channels: Int? = nil) { core = NodeCore("mixer", channels: channels, driver: Driver()) }

    private final class Driver: NodeDriver {
        func makeBody(_ format: NodeFormat) -> NodeBody { .mixer }
    }
}

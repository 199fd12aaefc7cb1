/// Why nodes cannot be connected as they were to be, in one sentence. Nothing has changed then.
public enum NodeError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The engine does not have the node of this kind.
    case notAttached(String)
    /// Sound enters by the input or a player and leaves by the output; none can be connected the other way round.
    case wrongDirection(String)
    /// The connection would close a loop without a delay: the kinds of its nodes, in the direction of the sound, the first of
    /// them once more at the end.
    case loop([String])
    /// What one node renders does not fit the other.
    case channels(source: String, sourceChannels: Int, target: String, targetChannels: Int)

    public var description: String {
        switch self {
        case .notAttached(let kind): return "the \(kind) is not attached to this engine; attach it first"
        case .wrongDirection("output"): return "the output cannot be connected to anything; connect something to it"
        case .wrongDirection(let kind): return "nothing can be connected to the \(kind); connect it to something"
        case .loop(let kinds):
            return
                "the connection closes a loop without a delay: \(kinds.joined(separator: " → ")); put a Delay into it"
        case .channels(let source, let sourceChannels, let target, let targetChannels):
            func words(_ kind: String, _ channels: Int) -> String {
                "\(kind) of \(channels) channel\(channels == 1 ? "" : "s")"
            }
            let advice =
                sourceChannels == 1 || targetChannels == 1
                ? "put a Mixer(channels: \(targetChannels)) between them"
                : "make both of the same number, or put a Mixer(channels: 1) between them"
            return
                "the \(words(source, sourceChannels)) does not fit the \(words(target, targetChannels)); \(advice)"
        }
    }
}

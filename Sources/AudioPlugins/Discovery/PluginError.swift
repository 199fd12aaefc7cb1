/// Why a plug-in cannot be had, in one sentence with what to do about it.
public struct PluginError: Error, Sendable, Equatable, CustomStringConvertible {
    /// What can be done about a plug-in that cannot be had.
    public enum Kind: Sendable, Equatable {
        /// There is no such plug-in, preset or parameter.
        case missing
        /// It is there, and cannot be loaded or used.
        case unusable
        /// What reads plug-ins is not installed.
        case unavailable
        /// It has other channels than are wanted of it.
        case channels
    }

    /// What can be done about it.
    public let kind: Kind
    public let description: String

    init(_ kind: Kind, _ description: String) { (self.kind, self.description) = (kind, description) }
}

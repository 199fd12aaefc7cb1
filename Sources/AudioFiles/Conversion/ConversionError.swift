/// Why a conversion is not possible, or stopped.
public struct ConversionError: Error, Hashable, CustomStringConvertible {
    /// What the caller can do about it.
    public enum Kind: Sendable, Hashable {
        /// A sample rate that is not positive, or two that differ by more than a factor of 256.
        case unsupportedRate
        /// No channels, more than can be converted, or a matrix for other numbers of them.
        case unsupportedChannels
        /// A buffer is not in the format that the converter was made for. The buffer is skipped; the stream is unharmed.
        case wrongBuffer
        /// libsamplerate refused, as without memory. The stream cannot go on until `reset`.
        case resampler
    }

    /// What is wrong with what was asked for.
    public var kind: Kind
    /// What is wrong, as a clause.
    public var reason: String

    /// - Parameter reason: why, and what to do, as a part of a sentence.
    public init(_ kind: Kind, _ reason: String) {
        self.kind = kind
        self.reason = reason
    }

    public var description: String { "cannot convert: \(reason)" }
}

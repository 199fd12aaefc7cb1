import AudioDSP

/// A parameter of a node, and how it stands: the one way to it for all that knows no type of it, as controllers and pages.
///
/// Thread: any but audio.
public struct Parameter: Sendable {
    /// Its name, and what it takes.
    public var info: ParameterInfo
    private let read: @Sendable () -> ParameterValue
    private let write: @Sendable (ParameterValue) -> Void

    /// - Parameters:
    ///   - info: its name, and what it takes.
    ///   - read: how it stands.
    ///   - write: gets values that it accepts, and no others.
    public init(
        _ info: ParameterInfo, read: @escaping @Sendable () -> ParameterValue,
        write: @escaping @Sendable (ParameterValue) -> Void
    ) {
        (self.info, self.read, self.write) = (info, read, write)
    }

    /// How it stands. A gain that was set to silence by its linear factor is −∞, which is not in its range.
    public var value: ParameterValue { read() }

    /// Sets out for a value, without a click.
    ///
    /// - Throws: where the value is not of its kind or out of its range; nothing has changed then.
    public func set(_ value: ParameterValue) throws(ParameterError) {
        guard info.accepts(value) else { throw ParameterError(info) }
        write(value)
    }
}

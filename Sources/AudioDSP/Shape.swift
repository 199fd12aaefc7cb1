/// A waveshaper's curve.
///
/// Each is odd and, but for `off`, bounded by ±1, so that what leaves a driven unit never exceeds full scale.
public enum Shape: UInt8, Sendable, BitwiseCopyable, CaseIterable {
    /// The identity.
    case off
    /// x limited to ±1.
    case hard
    /// 1.5 x − 0.5 x³ of x limited to ±1: a soft knee that meets ±1 with slope 0.
    case cubic
    /// The hyperbolic tangent, within 1e-6 of the exact one everywhere.
    case tanh

    /// The curve's name on the command line and in reports.
    public var name: String {
        switch self {
        case .off: "off"
        case .hard: "hard"
        case .cubic: "cubic"
        case .tanh: "tanh"
        }
    }

    public init?(name: String) {
        guard let shape = Shape.allCases.first(where: { $0.name == name }) else { return nil }
        self = shape
    }
}

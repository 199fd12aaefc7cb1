/// A waveshaper's curve.
///
/// Each but `off` and `table` is bounded by ±1, so that what leaves it never exceeds full scale. `hard`, `cubic`, `tanh`
/// and `fold` are odd, and so add odd harmonics alone.
public enum Shape: UInt8, Sendable, BitwiseCopyable, ParameterChoice {
    /// The identity.
    case off
    /// x limited to ±1.
    case hard
    /// 1.5 x − 0.5 x³ of x limited to ±1: a soft knee that meets ±1 with slope 0.
    case cubic
    /// The hyperbolic tangent, within 1e-6 of the exact one everywhere.
    case tanh
    /// (c(x + ¼) − c(¼)) / (1 + c(¼)), where c is the cubic curve: moved off its centre it distorts one half of a wave more
    /// than the other, which adds even harmonics too (the bias of a valve stage; Zölzer, DAFX, 2nd edition, 4.3). It
    /// shifts a sound off zero, so that behind it stands a blocker of DC with its corner at 10 Hz (see `DCBlocker`).
    case asymmetric
    /// sin(π x / 2): up to ±1 a soft knee, and beyond it folds back again and again. The sine that folders of the Buchla
    /// and Serge kind come near to (Esqueda, Pöntynen, Parker and Bilbao, Applied Sciences 7, 2017). Beyond ±4096 it is 0.
    case fold
    /// A curve of straight pieces that the unit was given (see `ShapeTable`); without one, the same as `hard`.
    case table

    /// The curve's name on the command line and in reports.
    public var name: String {
        switch self {
        case .off: "off"
        case .hard: "hard"
        case .cubic: "cubic"
        case .tanh: "tanh"
        case .asymmetric: "asymmetric"
        case .fold: "fold"
        case .table: "table"
        }
    }

    /// For those who may not ask the generic equality of enumerations, as the audio thread.
    var number: UInt8 { @_noLocks @_noAllocation get { rawValue } }
}

import TerminalPages

/// Something of a run that OSC can read and not set.
struct OSCFigure {
    /// As in `xruns`: behind `/iounit/`.
    let name: String
    /// For people, with its unit.
    let summary: String
    let read: () -> [OSCMessage.Argument]

    init(_ name: String, _ summary: String, _ read: @escaping () -> [OSCMessage.Argument]) {
        (self.name, self.summary, self.read) = (name, summary, read)
    }

    /// A number that any receiver can show: silence has no level, and is -200.
    static func level(_ decibels: Double) -> OSCMessage.Argument {
        .float(Float(decibels.isFinite ? max(decibels, silence) : silence))
    }

    static let silence = -200.0

    /// A count, which stays at the largest where it does not fit.
    static func count(_ value: some BinaryInteger) -> OSCMessage.Argument { .integer(Int32(clamping: value)) }
}

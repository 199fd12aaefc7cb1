import AudioReports

/// Something of a run that OSC can read and not set.
package struct OSCFigure {
    /// As in `xruns`: behind `/iounit/`.
    let name: String
    /// For people, with its unit.
    let summary: String
    let read: () -> [OSCMessage.Argument]

    package init(_ name: String, _ summary: String, _ read: @escaping () -> [OSCMessage.Argument]) {
        (self.name, self.summary, self.read) = (name, summary, read)
    }

    /// A number that any receiver can show: silence has no level, and is -200.
    static func level(_ decibels: Double) -> OSCMessage.Argument {
        .float(Float(decibels.isFinite ? max(decibels, silence) : silence))
    }

    static let silence = -200.0

    /// The fields of a report that have a name in OSC, read one by one.
    ///
    /// - Parameters:
    ///   - place: what stands before the name.
    ///   - part: makes what has them, as of now. It is called for each reading.
    package static func all<Part: Reported>(in place: String = "", of part: @escaping () -> Part) -> [OSCFigure] {
        Part.fields.compactMap(\.osc).map { field in
            let isLevel = [.decibels, .lufs].contains(field.figure.unit)
            let isTime = field.figure.unit == .nanoseconds
            let unit = isTime ? "ms" : field.figure.unit == .frames ? "" : field.figure.unit.rawValue
            let scope = field.figure.path.hasSuffix("[]") ? "highest of all: " : ""
            let summary = scope + field.figure.subject + (unit.isEmpty ? "" : ", in \(unit)")
            return OSCFigure(place + field.name, summary + (isLevel ? "; -200 for silence" : "")) {
                let numbers = field.value(part()).numbers.compactMap(\.self)
                if isLevel { return [level(numbers.max() ?? silence)] }
                let number = numbers.first ?? 0
                if isTime { return [.float(Float(number / 1e6))] }
                return [
                    field.figure.kind == .integer ? .integer(Int32(clamping: Int64(number))) : .float(Float(number))
                ]
            }
        }
    }
}

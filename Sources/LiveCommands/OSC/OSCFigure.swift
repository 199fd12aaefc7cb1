import AudioReports

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

    /// The fields of a report that have a name in OSC, read one by one.
    ///
    /// - Parameters:
    ///   - place: what stands before the name.
    ///   - part: makes what has them, as of now. It is called for each reading.
    static func all<Part: Reported>(in place: String = "", of part: @escaping () -> Part) -> [OSCFigure] {
        Part.fields.compactMap(\.osc).map { field in
            let isLevel = [.decibels, .lufs].contains(field.figure.unit)
            let isTime = field.figure.unit == .nanoseconds
            let unit = isTime ? "ms" : field.figure.unit == .frames ? "" : field.figure.unit.rawValue
            let summary = field.figure.subject + (unit.isEmpty ? "" : ", in \(unit)")
            return OSCFigure(place + field.name, summary + (isLevel ? "; -200 for silence" : "")) {
                let numbers = field.value(part()).numbers.compactMap(\.self)
                if isLevel { return [level(numbers.max() ?? silence)] }
                guard let number = numbers.first else { return [] }
                return [isTime ? .float(Float(number / 1e6)) : .integer(Int32(clamping: Int64(number)))]
            }
        }
    }
}

/// A report as its JSON has it, of whatever kind and version: figures are found by the paths of `FigureTable`.
package enum ReportValue: Decodable, Sendable, Equatable {
    case null
    case truth(Bool)
    case number(Double)
    case text(String)
    case list([ReportValue])
    case object([String: ReportValue])

    package init(from decoder: any Decoder) throws {
        let value = try decoder.singleValueContainer()
        // What a value is not costs more time than what it is, and most are numbers.
        if value.decodeNil() {
            self = .null
        } else if let number = try? value.decode(Double.self) {
            self = .number(number)
        } else if let truth = try? value.decode(Bool.self) {
            self = .truth(truth)
        } else if let text = try? value.decode(String.self) {
            self = .text(text)
        } else if let list = try? value.decode([ReportValue].self) {
            self = .list(list)
        } else {
            self = .object(try value.decode([String: ReportValue].self))
        }
    }

    /// What stands at a path of names with points between them; `nil` where there is nothing, and for null.
    package subscript(path: String) -> ReportValue? {
        var value = self
        for name in path.split(separator: ".") {
            guard case .object(let fields) = value, let field = fields[String(name)] else { return nil }
            value = field
        }
        return value == .null ? nil : value
    }

    package func number(_ path: String) -> Double? {
        guard case .number(let number) = self[path], number.isFinite else { return nil }
        return number
    }

    package func text(_ path: String) -> String? {
        if case .text(let text) = self[path] { text } else { nil }
    }

    package func truth(_ path: String) -> Bool? {
        if case .truth(let truth) = self[path] { truth } else { nil }
    }

    package func list(_ path: String) -> [ReportValue]? {
        if case .list(let list) = self[path] { list } else { nil }
    }
}

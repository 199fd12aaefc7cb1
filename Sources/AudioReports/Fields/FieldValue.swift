import AudioFigures

/// What a field of a report can be: a number, a text, a flag, other fields, or a list of such.
package protocol FieldValue: Sendable {
    /// What it is in the JSON.
    static var form: FieldForm { get }
    /// The number that it is, or those of a list; `nil` for none.
    var numbers: [Double?] { get }
    /// The value itself, or what is in an optional; `nil` for none.
    var object: Any? { get }
    /// Adds the figures that are in it and that OpenMetrics has.
    func expose(to exposition: inout MetricsExposition)
    func write(to encoder: any Encoder) throws
}

/// What a kind of value is in the JSON.
package struct FieldForm: Sendable {
    var kind: Figure.Kind
    /// Whether it may be `null`; of a list, whether what is in it may be.
    var isNullable = false
    /// How many lists are around it.
    var lists = 0
    /// Of an object, what is in it.
    var figures: [Figure] = []

    package init(_ kind: Figure.Kind) { self.kind = kind }

    func with(_ change: (inout FieldForm) -> Void) -> FieldForm {
        var form = self
        change(&form)
        return form
    }
}

extension FieldValue {
    package var numbers: [Double?] { [] }
    package var object: Any? { self }
    package func expose(to exposition: inout MetricsExposition) {}
}

/// Encodes a value by its fields, even where its type can encode itself.
struct WrittenValue: Encodable {
    let value: any FieldValue
    func encode(to encoder: any Encoder) throws { try value.write(to: encoder) }
}

/// A single JSON value: a number, a text or a flag.
package protocol PlainValue: FieldValue, Encodable {
    static var kind: Figure.Kind { get }
}

extension PlainValue {
    package static var form: FieldForm { FieldForm(kind) }
    package func write(to encoder: any Encoder) throws { try encode(to: encoder) }
}

extension PlainValue where Self: BinaryInteger {
    package static var kind: Figure.Kind { .integer }
    package var numbers: [Double?] { [Double(self)] }
}

extension Int: PlainValue {}
extension Int64: PlainValue {}
extension UInt64: PlainValue {}

extension Double: PlainValue {
    package static var kind: Figure.Kind { .number }
    package var numbers: [Double?] { [self] }
}

extension String: PlainValue { package static var kind: Figure.Kind { .text } }
extension Bool: PlainValue { package static var kind: Figure.Kind { .flag } }
extension Distribution: PlainValue { package static var kind: Figure.Kind { .distribution } }

extension [String: String]: FieldValue {
    package static var form: FieldForm { FieldForm(.texts) }
    package func write(to encoder: any Encoder) throws { try encode(to: encoder) }
}

extension Array: FieldValue where Element: FieldValue {
    package static var form: FieldForm { Element.form.with { $0.lists += 1 } }
    package var numbers: [Double?] { flatMap(\.numbers) }

    package func write(to encoder: any Encoder) throws {
        var container = encoder.unkeyedContainer()
        for element in self { try container.encode(WrittenValue(value: element)) }
    }
}

/// `nil` is written as `null`; the key stays.
extension Optional: FieldValue where Wrapped: FieldValue {
    package static var form: FieldForm {
        // A form does not tell a list that may be null from one of what may be.
        precondition(Wrapped.form.lists == 0, "a list is empty, and not null")
        return Wrapped.form.with { $0.isNullable = true }
    }
    package var numbers: [Double?] { self?.numbers ?? [nil] }
    package var object: Any? { self?.object }
    package func expose(to exposition: inout MetricsExposition) { self?.expose(to: &exposition) }

    package func write(to encoder: any Encoder) throws {
        if let self { return try self.write(to: encoder) }
        var container = encoder.singleValueContainer()
        try container.encodeNil()
    }
}

extension Nullable: FieldValue where Value: FieldValue {
    package static var form: FieldForm { Value?.form }
    package var numbers: [Double?] { value.numbers }
    package var object: Any? { value.object }
    package func expose(to exposition: inout MetricsExposition) { value.expose(to: &exposition) }
    package func write(to encoder: any Encoder) throws { try value.write(to: encoder) }
}

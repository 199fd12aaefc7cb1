import AudioFigures

/// A report, or an object within one, whose fields are declared once: each with its name in the JSON, what it means, its unit,
/// and the value that it is taken from. The JSON, its schema and `iounit help figures` are made from that.
///
/// ```swift
/// struct OSCReport: Reported {
///     var address: String
///     var messages: UInt64
///     static let fields: [ReportField<Self>] = [
///         .field("address", "address that the run listened on", \.address),
///         .field("messages", "messages received", \.messages),
///     ]
/// }
/// ```
package protocol Reported: FieldValue, InlineFields {
    /// In the order in which help has them.
    static var fields: [ReportField<Self>] { get }
}

/// One field of a report, or those of an object that stand beside the others.
package struct ReportField<Root>: Sendable {
    /// What it is, and what is in it: paths begin within the object that has the field.
    var figures: [Figure]
    let write: @Sendable (Root, inout KeyedEncodingContainer<FieldKey>) throws -> Void
    let expose: @Sendable (Root, inout MetricsExposition) -> Void
    /// How OSC reads it; `nil` where it has no name there.
    package var osc: FieldReading<Root>?
}

/// A field that is read by itself while a run goes on.
package struct FieldReading<Root>: Sendable {
    package let name: String
    package let figure: Figure
    package let value: @Sendable (Root) -> any FieldValue
}

/// What OpenMetrics calls a field. Its meaning is the help there, and a time is in seconds.
package struct FieldMetric: Sendable {
    let name: String
    let kind: MetricsExposition.Kind

    /// - Parameter name: letters and `_`; where it has a unit, with that at its end.
    package static func gauge(_ name: String) -> Self { Self(name: name, kind: .gauge) }
    package static func counter(_ name: String) -> Self { Self(name: name, kind: .counter) }

    func expose(_ figure: Figure, _ numbers: [Double?], isList: Bool, to exposition: inout MetricsExposition) {
        let (unit, perBase) = figure.unit.metric
        let help = figure.subject.prefix(1).uppercased() + figure.subject.dropFirst()
        let values = numbers.enumerated().compactMap { index, number in
            number.map { (label: "\(index + 1)", value: $0 / perBase) }
        }
        if isList { return exposition.add(name, kind, unit: unit, help, by: "channel", values) }
        if let value = values.first?.value { exposition.add(name, kind, unit: unit, help, value) }
    }
}

extension ReportField {
    /// A field whose type says whether it is a whole number, a number, a text, a flag, an object or a list, and whether it may be
    /// `null`.
    ///
    /// - Parameters:
    ///   - meaning: one line, without a full stop. Of what may be `null`, when it is.
    ///   - words: of a text that is one of a few, all of these.
    ///   - metric, osc: its names in OpenMetrics and OSC, where it has one.
    ///   - read: a key path, or a closure that computes the value.
    package static func field<Value: FieldValue>(
        _ name: String, _ meaning: String, unit: Figure.Unit = .none, of words: [String]? = nil,
        metric: FieldMetric? = nil, osc: String? = nil, _ read: @escaping @Sendable (Root) -> Value
    ) -> Self {
        let form = words.map { words in Value.form.with { $0.kind = .choice(words) } } ?? Value.form
        var field = field(name, meaning, unit: unit, form: form, metric: metric) { read($0) }
        field.osc = osc.map { [own = field.figures[0]] in FieldReading(name: $0, figure: own) { read($0) } }
        return field
    }

    /// A text that is one of an enumeration's.
    package static func field<Word: RawRepresentable<String> & CaseIterable & Sendable>(
        _ name: String, _ meaning: String, _ read: @escaping @Sendable (Root) -> Word
    ) -> Self {
        field(name, meaning, of: Word.allCases.map(\.rawValue)) { read($0).rawValue }
    }

    /// What only OpenMetrics has.
    package static func metric<Value: FieldValue>(
        _ metric: FieldMetric, _ meaning: String, unit: Figure.Unit, _ read: @escaping @Sendable (Root) -> Value
    ) -> Self {
        let own = Figure("", meaning, unit, Value.form) { _ in nil }
        return Self(figures: []) { _, _ in
        } expose: {
            metric.expose(own, read($0).numbers, isList: false, to: &$1)
        }
    }

    /// An object, or a list of objects, without a meaning of its own: its fields explain it.
    package static func group<Value: FieldValue>(_ name: String, _ read: @escaping @Sendable (Root) -> Value) -> Self {
        field(name, "", unit: .none, form: Value.form) { read($0) }
    }

    /// The fields of an object, beside the others and not in an object of their own. Without the object they are left out: a run
    /// without a server has no fields of the server.
    package static func inline<Part: InlineFields>(_ read: @escaping @Sendable (Root) -> Part) -> Self {
        Self(figures: Part.figures) {
            try read($0).write(into: &$1)
        } expose: {
            read($0).expose(to: &$1)
        }
    }

    /// A field whose type is known only at run time.
    package static func field(
        _ name: String, _ meaning: String, unit: Figure.Unit, form: FieldForm, metric: FieldMetric? = nil,
        _ read: @escaping @Sendable (Root) -> any FieldValue
    ) -> Self {
        let place = name + String(repeating: "[]", count: form.lists)
        let value: @Sendable (Any) -> (any FieldValue)? = { ($0 as? Root).map(read) }
        let own = Figure(place, meaning, unit, form, value)
        let within = form.figures.map { $0.within(place) { value($0)?.object } }
        let key = FieldKey(name)
        return Self(figures: (meaning.isEmpty ? [] : [own]) + within) {
            try $1.encode(WrittenValue(value: read($0)), forKey: key)
        } expose: {
            let value = read($0)
            value.expose(to: &$1)
            metric?.expose(own, value.numbers, isList: form.lists > 0, to: &$1)
        }
    }
}

extension Reported {
    package static var figures: [Figure] { fields.flatMap(\.figures) }
    package static var form: FieldForm { FieldForm(.object).with { $0.figures = figures } }

    package func write(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: FieldKey.self)
        try write(into: &container)
    }

    package func write(into container: inout KeyedEncodingContainer<FieldKey>) throws {
        for field in Self.fields { try field.write(self, &container) }
    }

    package func encode(to encoder: any Encoder) throws { try write(to: encoder) }

    package func expose(to exposition: inout MetricsExposition) {
        for field in Self.fields { field.expose(self, &exposition) }
    }
}

/// Fields that can stand beside others: those of a report, or of none.
package protocol InlineFields: Sendable {
    static var figures: [Figure] { get }
    func write(into container: inout KeyedEncodingContainer<FieldKey>) throws
    func expose(to exposition: inout MetricsExposition)
}

extension Optional: InlineFields where Wrapped: Reported {
    package static var figures: [Figure] { Wrapped.figures.map(\.live) }

    package func write(into container: inout KeyedEncodingContainer<FieldKey>) throws {
        try self?.write(into: &container)
    }
}

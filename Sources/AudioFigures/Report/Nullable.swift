/// A value that is written as `null` where there is none, and not left out.
public struct Nullable<Value: Sendable>: Sendable {
    /// `nil` is written as `null`.
    public var value: Value?
    /// - Parameter value: `nil` where there is none.
    public init(_ value: Value?) { self.value = value }
}

extension Nullable: Encodable where Value: Encodable {
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        if let value { try container.encode(value) } else { try container.encodeNil() }
    }
}

extension Nullable: Decodable where Value: Decodable {
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        value = container.decodeNil() ? nil : try container.decode(Value.self)
    }
}

extension Nullable: Equatable where Value: Equatable {}

/// The name of a field of a report.
package struct FieldKey: CodingKey {
    package let stringValue: String
    package var intValue: Int? { nil }

    package init(_ name: String) { stringValue = name }
    package init(stringValue: String) { self.init(stringValue) }
    package init?(intValue: Int) { nil }
}

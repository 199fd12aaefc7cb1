/// A place in a report's JSON: what its figure says, and the places within it.
struct SchemaNode {
    private var figure: Figure?
    private var children: [String: SchemaNode] = [:]
    /// How many lists are around it: 1 for `files[]`.
    private var lists = 0

    /// - Parameter path: what is left of the figure's.
    mutating func add(_ figure: Figure, at path: ArraySlice<Substring>) {
        guard let first = path.first else { return self.figure = figure }
        let key = Self.key(first)
        var child = children[key] ?? SchemaNode()
        child.lists = (first.count - key.count) / 2
        child.add(figure, at: path.dropFirst())
        children[key] = child
    }

    /// A part of a path without the marks of lists.
    static func key(_ part: Substring) -> String { String(part.prefix { $0 != "[" }) }

    /// The schema of the place as one that holds others.
    ///
    /// - Parameter optional: keys that need not be there.
    func object(optional: Set<String> = []) -> [String: ReportSchema] {
        [
            "type": type("object"),
            "properties": .object(children.mapValues { $0.schema }),
            "required": .list(children.keys.filter { !optional.contains($0) }.sorted().map(ReportSchema.text)),
            "additionalProperties": .flag(false),
        ]
    }

    private var schema: ReportSchema {
        var schema = children.isEmpty ? value : object()
        if let figure { schema["description"] = .text(Self.description(figure)) }
        return (0..<lists).reduce(.object(schema)) { items, _ in
            .object(["type": .text("array"), "items": items])
        }
    }

    private var value: [String: ReportSchema] {
        switch figure?.kind {
        case .integer: ["type": type("integer")]
        case .object, nil: object()
        case .number: ["type": type("number")]
        case .flag: ["type": type("boolean")]
        case .text: ["type": type("string")]
        case .texts:
            ["type": type("object"), "additionalProperties": .object(["type": .text("string")])]
        case .choice(let words):
            // A list of words says nothing of null, which is none of them.
            orNull(["enum": .list(words.map(ReportSchema.text))])
        case .distribution: orNull(["$ref": .text("#/$defs/distribution")])
        }
    }

    private func orNull(_ value: [String: ReportSchema]) -> [String: ReportSchema] {
        guard figure?.isNullable == true else { return value }
        return ["anyOf": .list([.object(value), .object(["type": .text("null")])])]
    }

    private func type(_ name: String) -> ReportSchema {
        figure?.isNullable == true ? .list([.text(name), .text("null")]) : .text(name)
    }

    private static func description(_ figure: Figure) -> String {
        figure.unit == .none ? figure.meaning : "\(figure.meaning) [\(figure.unit.rawValue)]"
    }
}

import AudioFigures

/// The JSON Schema of a kind of report (draft 2020-12), made from the figures that help and tables are made from.
///
/// Every key is required, and no other is allowed. A key that may be `null` says so.
package indirect enum ReportSchema: Sendable, Encodable {
    case text(String)
    case flag(Bool)
    case list([ReportSchema])
    case object([String: ReportSchema])

    package init(_ kind: ReportKind) {
        var root = SchemaNode()
        var live: Set<String> = []
        for figure in kind.figures {
            let path = figure.path.split(separator: ".")
            root.add(figure, at: path[...])
            if figure.isLive { live.insert(SchemaNode.key(path[0])) }
        }
        var schema = root.object(optional: live)
        schema["$schema"] = .text("https://json-schema.org/draft/2020-12/schema")
        schema["$id"] = .text("urn:iounit:\(kind.name):\(kind.version)")
        schema["title"] = .text(kind.schema)
        schema["$defs"] = .object(["distribution": Self.distribution])
        if case .object(var properties) = schema["properties"] {
            properties["schema"] = .object(["const": .text(kind.schema)])
            schema["properties"] = .object(properties)
        }
        if !live.isEmpty {
            schema["if"] = .object(["properties": .object([kind.liveKey: .object(["type": .text("null")])])])
            schema["then"] = .object(["required": .list(live.sorted().map(ReportSchema.text))])
            schema["else"] = .object([
                "properties": .object(Dictionary(uniqueKeysWithValues: live.map { ($0, .flag(false)) }))
            ])
        }
        self = .object(schema)
    }

    private static var distribution: ReportSchema {
        let number = ReportSchema.object(["type": .list([.text("number"), .text("null")])])
        let statistics = Statistic.allCases.map { statistic in
            (statistic.rawValue, statistic == .count ? .object(["type": .text("integer")]) : number)
        }
        return .object([
            "type": .text("object"),
            "description": .text("null: too few values for it"),
            "properties": .object(Dictionary(uniqueKeysWithValues: statistics)),
            "required": .list(statistics.map { .text($0.0) }),
            "additionalProperties": .flag(false),
        ])
    }

    package func encode(to encoder: any Encoder) throws {
        var value = encoder.singleValueContainer()
        switch self {
        case .text(let text): try value.encode(text)
        case .flag(let flag): try value.encode(flag)
        case .list(let list): try value.encode(list)
        case .object(let object): try value.encode(object)
        }
    }
}

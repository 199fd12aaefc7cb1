import Foundation
import Testing

/// What `--json` printed of a measurement.
package struct Measured {
    package let report: [String: Any]
    package let modes: [[String: Any]]

    package init(_ text: String, _ location: SourceLocation = #_sourceLocation) throws {
        report = try object(text, location)
        modes = try #require(report["modes"] as? [[String: Any]], sourceLocation: location)
    }

    package var end: String? { report["end"] as? String }
    package var names: [String] { modes.compactMap { $0["name"] as? String } }

    /// A number of a mode, by the keys that lead to it.
    package func number(_ mode: Int, _ path: String..., location: SourceLocation = #_sourceLocation) throws -> Double {
        var value: Any? = try #require(modes.indices.contains(mode) ? modes[mode] : nil, sourceLocation: location)
        for key in path { value = (value as? [String: Any])?[key] }
        return try #require(value as? Double, "\(path)", sourceLocation: location)
    }

    /// All of a mode's distribution, `NSNull` where there are too few values.
    package func distribution(_ mode: Int, _ name: String, location: SourceLocation = #_sourceLocation) throws
        -> [String: Any]
    {
        try #require(modes[mode][name] as? [String: Any], "\(name)", sourceLocation: location)
    }
}

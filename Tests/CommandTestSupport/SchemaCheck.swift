import AudioReports
import Foundation
import TestSupport
import Testing

/// Holds what the command prints against the schema that the command prints, by a validator that is not ours.
package enum SchemaCheck {
    /// The complaints of python3-jsonschema, one in each line; empty where there are none.
    ///
    /// - Parameters:
    ///   - kind: of the report, as `iounit help --schema` has it.
    ///   - report: JSON.
    package static func complaints(_ kind: String, about report: String) throws -> String {
        let folder = try TemporaryFolder()
        let schema = try CommandRun.run("help", "--schema", kind)
        try #require(schema.code == 0, "\(schema.err)")
        try schema.out.write(toFile: folder("schema"), atomically: true, encoding: .utf8)
        try report.write(toFile: folder("report"), atomically: true, encoding: .utf8)
        let script = """
            import json, sys
            from jsonschema import Draft202012Validator
            schema, report = (json.load(open(path, encoding="utf-8")) for path in sys.argv[1:])
            Draft202012Validator.check_schema(schema)
            for error in Draft202012Validator(schema).iter_errors(report):
                print("/".join(map(str, error.absolute_path)), error.message[:200])
            """
        let output = try Program.output(of: "/usr/bin/python3", ["-c", script, folder("schema"), folder("report")])
        return String(decoding: try #require(output, "python3-jsonschema did not run"), as: UTF8.self)
    }

    /// Expects that there are none.
    package static func expect(_ kind: String, describes report: String, _ location: SourceLocation = #_sourceLocation)
        throws
    {
        let complaints = try complaints(kind, about: report)
        #expect(complaints.isEmpty, "\(kind): \(complaints)", sourceLocation: location)
    }
}

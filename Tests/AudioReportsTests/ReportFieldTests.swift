import AudioFigures
import AudioReports
import Foundation
import Testing

@Suite("The fields of a report") struct ReportFieldTests {
    private struct Part: Reported {
        var level: Double?
        static let fields: [ReportField<Self>] = [.field("level", "how loud", unit: .decibels, \.level)]
    }

    private struct Run: Reported {
        var cycles: UInt64
        var lost: UInt64 = 1_500_000
        var sent: Part?
        static let fields: [ReportField<Self>] = [
            .field("cycles", "how many", metric: .counter("cycles"), osc: "cycles", \.cycles),
            .field("lost", "time lost", unit: .nanoseconds, metric: .counter("lost_seconds"), \.lost),
            .metric(.counter("known_seconds"), "time known to be lost", unit: .nanoseconds, \.lost),
            .field("sent", "what was sent", \.sent),
        ]
    }

    private struct Sample: ReportDocument {
        var word = "yes"
        var peaks = [nil, 1] as [Double?]
        var grid = [[0.5], [1, 2]]
        var parts = [Part(level: nil), Part(level: -3.5)]
        var part: Part?
        var texts = ["title": "Rain"]
        var isGood = true
        var run: Run?

        static let kind = document("sample", 3, liveKey: "part")
        static let fields: [ReportField<Self>] = [
            .field("word", "yes or no", of: ["yes", "no"], \.word),
            .field("peaks", "of each", unit: .decibels, metric: .gauge("peak_decibels"), \.peaks),
            .field("grid", "by rows", \.grid),
            .group("parts", \.parts),
            .field("part", "null where there is none", \.part),
            .field("texts", "by their names", \.texts),
            .field("isGood", "whether it is", \.isGood),
            .inline(\.run),
        ]
    }

    private func json(_ value: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(value), as: UTF8.self)
    }

    @Test func `are the JSON: null is written, and what is left out is not`() throws {
        #expect(
            try json(Sample())
                == #"{"grid":[[0.5],[1,2]],"isGood":true,"part":null,"parts":[{"level":null},{"level":-3.5}],"peaks":[null,1],"#
                + #""schema":"iounit.sample/3","texts":{"title":"Rain"},"word":"yes"}"#)
        var live = Sample()
        (live.run, live.part) = (Run(cycles: 7), Part(level: 0))
        #expect(try json(live).contains(#""cycles":7"#) && json(live).contains(#""sent":null"#))
        #expect(try json(live).contains(#""part":{"level":0}"#))
    }

    @Test func `are the figures, with their places`() {
        let figures = Sample.kind.figures
        #expect(
            figures.map(\.path).prefix(13) == [
                "schema", "word", "peaks[]", "grid[][]", "parts[].level", "part", "part.level", "texts", "isGood",
                "cycles", "lost",
                "sent", "sent.level",
            ])
        #expect(figures.dropFirst(13).allSatisfy { $0.path.hasPrefix("provenance") })
        #expect(figures.first { $0.path == "word" }?.kind == .choice(["yes", "no"]))
        #expect(
            figures.filter(\.isNullable).map(\.path).prefix(4) == ["peaks[]", "parts[].level", "part", "part.level"])
    }

    @Test func `are the schema: what a run on a server has alone is optional`() throws {
        let schema = try #require(
            JSONSerialization.jsonObject(with: JSONEncoder().encode(ReportSchema(Sample.kind))) as? [String: Any])
        #expect(
            schema["required"] as? [String]
                == ["grid", "isGood", "part", "parts", "peaks", "provenance", "schema", "texts", "word"])
        #expect((schema["then"] as? [String: [String]])?["required"] == ["cycles", "lost", "sent"])
        #expect(
            (schema["else"] as? [String: [String: Bool]])?["properties"]
                == ["cycles": false, "lost": false, "sent": false])
        let properties = try #require(schema["properties"] as? [String: [String: Any]])
        #expect(properties["isGood"]?["type"] as? String == "boolean")
        #expect(properties["cycles"]?["type"] as? String == "integer")
        #expect(properties["part"]?["type"] as? [String] == ["object", "null"])
        #expect((properties["peaks"]?["items"] as? [String: Any])?["type"] as? [String] == ["number", "null"])
    }

    @Test func `are read by OSC where they have a name there`() {
        let readings = Run.fields.compactMap(\.osc)
        #expect(readings.map(\.name) == ["cycles"] && readings.map(\.figure.path) == ["cycles"])
        #expect(readings.first?.value(Run(cycles: 7)).numbers == [7])
    }

    @Test func `are figures of OpenMetrics where they have a name there, in base units`() {
        var exposition = MetricsExposition()
        Sample(run: Run(cycles: 7)).expose(to: &exposition)
        #expect(
            exposition.text == """
                # TYPE iounit_peak_decibels gauge
                # UNIT iounit_peak_decibels decibels
                # HELP iounit_peak_decibels Of each
                iounit_peak_decibels{channel="2"} 1.0
                # TYPE iounit_cycles counter
                # HELP iounit_cycles How many
                iounit_cycles_total 7.0
                # TYPE iounit_lost_seconds counter
                # UNIT iounit_lost_seconds seconds
                # HELP iounit_lost_seconds Time lost
                iounit_lost_seconds_total 0.0015
                # TYPE iounit_known_seconds counter
                # UNIT iounit_known_seconds seconds
                # HELP iounit_known_seconds Time known to be lost
                iounit_known_seconds_total 0.0015
                # EOF

                """)
    }
}

import PluginChecks
import PluginTestSupport
import Testing

/// See `AudioPlugins`' tests of ranges: those have the host's part.
@Suite("Controls of a plug-in that is checked")
struct ProbedControlTests {
    /// Of the planted plug-in's control.
    private static let range = "lv2:default 0.5 ; lv2:minimum 0.0 ; lv2:maximum 1.0"
    private static let enumeration =
        ["1", "8", "2.5"].map {
            "lv2:scalePoint [ <http://www.w3.org/2000/01/rdf-schema#label> \"P\" ; <http://www.w3.org/1999/02/22-rdf-syntax-ns#value> \($0) ]"
        }.joined(separator: " ; ") + " ; lv2:portProperty lv2:enumeration"

    @Test func `a preset that is beyond a control's range, or no number, is set as a host sets it`() throws {
        let planted = try PlantedPlugin("RANGE")
        try planted.add(presets: ["7.5", "-3", "\"NaN\"^^<http://www.w3.org/2001/XMLSchema#float>"])
        let result = try planted.result()
        #expect(result.verdict == .safe && result.kinds.subtracting([.late]).isEmpty, "\(result.findings)")
    }

    @Test(
        arguments: [
            ("lv2:minimum 5.0", "6", "parameters"), ("lv2:maximum -3.0", "-4", "parameters"),
            ("lv2:minimum -2.0 ; lv2:maximum 2.0", "0", "first block"),
            ("lv2:default 7 ; lv2:minimum 0.0 ; lv2:maximum 1.0", "1", "first block"),
            ("lv2:minimum 0.2 ; lv2:maximum 3.7 ; lv2:portProperty lv2:integer", "3", "parameters"),
            ("lv2:designation lv2:enabled", "1", "first block"),
            ("lv2:default 0 ; lv2:portProperty lv2:toggled ; lv2:designation lv2:enabled", "1", "first block"),
        ])
    func `a control has the range and the initial number that a host gives it`(
        range: String, number: String, phase: String
    ) throws {
        let planted = try PlantedPlugin("AT=\(number)")
        try planted.replace(Self.range, with: range)
        let found = try planted.result().findings.filter { $0.finding == .nonFinite }
        #expect(found.first?.phase == phase, "\(found)")
        #expect(phase == "first block" || found.first?.text.hasPrefix("gain = \(number),") == true, "\(found)")
    }

    @Test(
        arguments: [
            ("lv2:minimum 0.0 ; lv2:maximum 1.0", "toggled", "0.3", "1"),
            ("lv2:minimum 0.0 ; lv2:maximum 127.0", "toggled", "64.0", "1"),
            ("lv2:minimum 0.2 ; lv2:maximum 3.7", "integer", "9.0", "3"),
            ("lv2:minimum 0.0 ; lv2:maximum 9.0", "integer", "\"7\"^^<http://www.w3.org/2001/XMLSchema#long>", "7"),
        ])
    func `a preset sets a switch on where its number is above 0, and a whole number within the range`(
        range: String, property: String, number: String, given: String
    ) throws {
        let planted = try PlantedPlugin("AT=\(given)")
        // Of such a control presets alone set another number.
        let properties = "lv2:\(property) , <http://lv2plug.in/ns/ext/port-props#expensive>"
        let port = "\(range) ; lv2:default 0.0 ; lv2:portProperty \(properties)"
        try planted.replace(Self.range, with: port)
        try planted.add(presets: [number])
        let found = try planted.result().findings.filter { $0.finding == .nonFinite }
        #expect(found.first?.phase == "presets", "\(found)")
    }

    private static let trigger = "lv2:portProperty <http://lv2plug.in/ns/ext/port-props#trigger>"

    @Test(arguments: [("lv2:maximum 1.0", "1"), ("lv2:maximum 9.0 ; lv2:default 2", "9")])
    func `a trigger is of one block, and no preset sets it, as in a host`(range: String, number: String) throws {
        let planted = try PlantedPlugin("THRICE=\(number)")
        try planted.replace(Self.range, with: "lv2:minimum 0.0 ; \(range) ; \(Self.trigger)")
        try planted.add(presets: [number])
        let result = try planted.result()
        #expect(result.verdict == .safe && !result.kinds.contains(.nonFinite), "\(result.findings)")
    }

    /// Its range is 0 to 1, where it has two numbers, and it rests beyond another one.
    @Test(
        arguments: [
            ("lv2:maximum 1.0", "1", "parameters"), ("lv2:maximum 1.0", "0.37f", nil),
            ("lv2:maximum 9.0 ; lv2:default -1", "-1", "first block"),
        ] as [(String, String, String?)])
    func `a trigger has the numbers that a host gives it`(range: String, number: String, phase: String?) throws {
        let planted = try PlantedPlugin("AT=\(number)")
        try planted.replace(Self.range, with: "lv2:minimum 0.0 ; \(range) ; \(Self.trigger)")
        let found = try planted.result().findings.filter { $0.finding == .nonFinite }
        #expect(found.first?.phase == phase, "\(found)")
    }

    @Test func `an instance begins with the state that its plug-in wants, as in a host`() throws {
        let planted = try PlantedPlugin("DEFAULT_STATE")
        #expect(try planted.result().verdict == .safe)
        let state = "http://lv2plug.in/ns/ext/state#"
        try planted.replace(
            "lv2:hardRTCapable",
            with: "lv2:hardRTCapable , <\(state)loadDefaultState> ; <\(state)state> [ <urn:iounit:kept> 1 ]")
        #expect(try planted.result().failedKinds == [.allocation])
    }

    /// Its default is none of its numbers, and the one next to that is no whole one.
    @Test(
        arguments: [
            ("", "2.5", "first block"), ("", "8", "parameters"), (bounds, "8", "parameters"), (bounds, "3", nil),
            (bounds, "5", nil),
        ] as [(String, String, String?)])
    func `an enumeration is set to its own numbers alone, as by a host`(
        bounds: String, number: String, phase: String?
    ) throws {
        let planted = try PlantedPlugin("AT=\(number)")
        try planted.replace(Self.range, with: "\(bounds) \(Self.enumeration) ; lv2:default 3.0")
        let found = try planted.result().findings.filter { $0.finding == .nonFinite }
        #expect(found.first?.phase == phase, "\(found)")
    }

    @Test func `an enumeration without a point that has number and label is a range, as in a host`() throws {
        let planted = try PlantedPlugin("AT=3")
        let points = "lv2:portProperty lv2:enumeration ; lv2:scalePoint [ ] , \"t\""
        try planted.replace(Self.range, with: "\(points) ; lv2:minimum 0.0 ; lv2:maximum 3.0")
        let found = try planted.result().findings.filter { $0.finding == .nonFinite }
        #expect(found.first?.phase == "parameters", "\(found)")
    }

    private static let bounds = "lv2:minimum 0.0 ; lv2:maximum 10.0 ;"

    @Test(arguments: ["6.0", "1e39"])
    func `a preset sets an enumeration to the nearest of its numbers`(number: String) throws {
        let planted = try PlantedPlugin("AT=8")
        // Of such a control presets alone set another number.
        let port = "\(Self.enumeration) , <http://lv2plug.in/ns/ext/port-props#expensive> ; lv2:default 1.0"
        try planted.replace(Self.range, with: port)
        try planted.add(presets: [number])
        let found = try planted.result().findings.filter { $0.finding == .nonFinite }
        #expect(found.first?.phase == "presets", "\(found)")
    }

    @Test func `no preset switches the plug-in itself off, as in a host`() throws {
        let planted = try PlantedPlugin("AT=0")
        let properties = "lv2:portProperty lv2:toggled , <http://lv2plug.in/ns/ext/port-props#expensive>"
        try planted.replace(Self.range, with: "\(properties) ; lv2:designation lv2:enabled")
        try planted.add(presets: ["0.0"])
        let result = try planted.result()
        #expect(result.verdict == .safe && !result.kinds.contains(.nonFinite), "\(result.findings)")
    }

    @Test func `a bound that is beyond all numbers at the rate is the greatest number`() throws {
        let planted = try PlantedPlugin("INFINITE")
        try planted.replace("lv2:maximum 1.0", with: "lv2:maximum 1e38 ; lv2:portProperty lv2:sampleRate")
        let result = try planted.result()
        #expect(result.verdict == .safe && !result.kinds.contains(.nonFinite), "\(result.findings)")
    }
}

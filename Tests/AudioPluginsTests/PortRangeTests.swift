import AudioDSP
import Testing

@testable import AudioPlugins

/// See `PluginChecks`' tests of bad plug-ins: those have the probe's part.
@Suite("Ranges of ports") struct PortRangeTests {
    private func port(_ description: String) throws -> PluginPort {
        let port = """
            lv2:port [ a lv2:ControlPort , lv2:InputPort ; lv2:index 2 ; lv2:symbol "port" ; lv2:name "Port" ;
                \(description) ] ;

            """
        let info = try Bundle.made("urn:made", library: "made.so", more: port).list.info("urn:made")
        return try #require(info.ports.last)
    }

    @Test(
        arguments: [
            ("lv2:minimum 5.0", 5.0...6.0), ("lv2:minimum -5.0", -5...1), ("lv2:maximum 0.5", 0...0.5),
            ("lv2:maximum -3.0", -4 ... -3), ("lv2:maximum 0.0", -1...0), ("lv2:default 0.0", 0...1),
            ("lv2:minimum 2.0 ; lv2:maximum 1.0", 2...2),
        ])
    func `a bound that is not named leaves a range`(description: String, expected: ClosedRange<Double>) throws {
        let parameter = try #require(try port(description).parameter)
        guard case .number(let range, _, _, _) = parameter.kind else { return #expect(Bool(false), "\(parameter)") }
        #expect(range == expected && parameter.accepts(parameter.initial))
    }

    /// With such points alone lilv would end this program.
    @Test(arguments: ["[ ]", "\"t\" , <urn:x>", "[ <http://www.w3.org/2000/01/rdf-schema#label> \"P\" ]"])
    func `an enumeration without a point that has number and label is a range`(points: String) throws {
        let parameter = try #require(
            try port("lv2:portProperty lv2:enumeration ; lv2:scalePoint \(points) ; lv2:maximum 3.0").parameter)
        guard case .number(let range, _, _, _) = parameter.kind else { return #expect(Bool(false), "\(parameter)") }
        #expect(range == 0...3)
    }

    @Test func `a whole number is within the range, also behind the rounding`() throws {
        let port = try port("lv2:minimum 0.2 ; lv2:maximum 3.7 ; lv2:default 0.3 ; lv2:portProperty lv2:integer")
        #expect([0.2, 1.4, 1.5, 3.7].map { port.number(.number($0)) } == [1, 1, 2, 3])
        #expect(port.inRange(9) == 3 && port.inRange(-9) == 1 && port.inRange(-.infinity) == 1)
        #expect(try port.number(#require(port.parameter).initial) == 1)
        let narrow = try self.port("lv2:minimum 0.2 ; lv2:maximum 0.7 ; lv2:portProperty lv2:integer")
        #expect(narrow.inRange(9) == 0.7 && narrow.inRange(-9) == 0.2)
    }

    /// Of the points the one that is no number, and the one that is infinite, are left out.
    @Test(
        arguments: [
            ("lv2:default 0", ["low", "middle", "high"], "low"),
            ("lv2:default 5", ["low", "middle", "high"], "middle"),
            ("lv2:default 99", ["low", "middle", "high"], "high"), ("lv2:minimum 4", ["middle", "high"], "middle"),
            ("lv2:maximum 3.0", ["low"], "low"), ("lv2:minimum 0 ; lv2:maximum 1", [], ""),
            ("lv2:minimum \"NaN\"^^<http://www.w3.org/2001/XMLSchema#float>", ["low", "middle", "high"], "low"),
            ("lv2:maximum 1e300", ["low", "middle", "high"], "low"),
        ])
    func `an enumeration without bounds has all of its points`(bounds: String, words: [String], initial: String) throws
    {
        let points = [
            ("Low", "2"), ("Middle", "4"), ("High", "7.5"),
            ("None", "\"NaN\"^^<http://www.w3.org/2001/XMLSchema#float>"),
            ("Far", "1e300"),
        ]
        let port = try port("\(bounds) ; \(enumeration(points))")
        let parameter = try #require(port.parameter)
        guard case .choice(let choices) = parameter.kind else { return #expect(words.isEmpty, "\(parameter)") }
        #expect(choices == words && parameter.initial == .choice(initial))
        #expect(port.number(.choice(words[words.count - 1])) == (words.count == 1 ? 2 : 7.5))
        #expect(port.inRange(.nan) == nil && port.inRange(3.5) == (words.count == 1 ? 2 : 4))
    }

    @Test func `an enumeration without bounds has points below 0 too`() throws {
        let port = try port(enumeration([("Left", "-1"), ("Right", "1")]))
        #expect(port.parameter?.words == ["left", "right"] && port.inRange(-3) == -1)
    }

    @Test func `each number of an enumeration has a word of its own`() throws {
        let points = [("A", "1"), ("A", "2"), ("A-2", "3"), ("", "4"), ("4", "5")]
        let port = try port(enumeration(points))
        #expect(port.parameter?.words == ["a-1", "a-2", "a-2+", "4", "4+"])
        let numbers = ["a-1", "a-2", "a-2+", "4", "4+"].map { port.number(.choice($0)) }
        #expect(numbers == [1, 2, 3, 4, 5])
        #expect(port.inRange(.infinity) == 5 && port.inRange(-.infinity) == 1)
    }

    private func enumeration(_ points: [(label: String, number: String)]) -> String {
        let value = "<http://www.w3.org/1999/02/22-rdf-syntax-ns#value>"
        let nodes = points.map { "[ <http://www.w3.org/2000/01/rdf-schema#label> \"\($0)\" ; \(value) \($1) ]" }
        return "lv2:portProperty lv2:enumeration ; lv2:scalePoint \(nodes.joined(separator: " , "))"
    }

    @Test func `a switch is on above 0`() throws {
        let port = try port("lv2:minimum 0 ; lv2:maximum 127 ; lv2:portProperty lv2:toggled")
        #expect([-1, 0, 0.3, 64].map { port.inRange($0) } == [0, 0, 1, 1])
    }
}

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

    @Test func `a whole number is within the range, also behind the rounding`() throws {
        let port = try port("lv2:minimum 0.2 ; lv2:maximum 3.7 ; lv2:default 0.3 ; lv2:portProperty lv2:integer")
        #expect([0.2, 1.4, 1.5, 3.7].map { port.number(.number($0)) } == [1, 1, 2, 3])
        #expect(port.inRange(9) == 3 && port.inRange(-9) == 1 && port.inRange(-.infinity) == 1)
        #expect(try port.number(#require(port.parameter).initial) == 1)
        let narrow = try self.port("lv2:minimum 0.2 ; lv2:maximum 0.7 ; lv2:portProperty lv2:integer")
        #expect(narrow.inRange(9) == 0.7 && narrow.inRange(-9) == 0.2)
    }

    @Test func `a switch is on above 0`() throws {
        let port = try port("lv2:minimum 0 ; lv2:maximum 127 ; lv2:portProperty lv2:toggled")
        #expect([-1, 0, 0.3, 64].map { port.inRange($0) } == [0, 0, 1, 1])
    }
}

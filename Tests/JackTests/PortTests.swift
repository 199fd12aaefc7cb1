import Jack
import TestSupport
import Testing

@Suite(.serialized, .privateServer())
struct PortTests {
    private func activeClient(_ name: String, _ ports: [(String, PortDirection)]) throws -> ActiveClient {
        let client = try Client(name: name, server: PrivateServer.name)
        for (port, direction) in ports { _ = try client.register(port, direction) }
        return try client.activate()
    }

    @Test func aPortIsNamedAfterItsClientAndFoundByName() throws {
        let client = try Client(name: "named", server: PrivateServer.name)
        let port = try client.register("in_1", .input)
        #expect(port.name == "named:in_1")
        let found = client.port(named: "named:in_1")
        #expect(found?.direction == .input)
        #expect(found?.isAudio == true)
        #expect(found?.isPhysical == false)
        let missing = client.port(named: "named:nothing")
        #expect(missing == nil)
    }

    @Test func portsAreFoundByPatternDirectionPhysicalityAndType() throws {
        let client = try activeClient("finder", [("a_in", .input), ("b_in", .input), ("a_out", .output)])
        func names(_ query: PortQuery) throws -> [String] { try client.ports(query).map(\.name) }
        #expect(try names(PortQuery(pattern: "^finder:")) == ["finder:a_in", "finder:b_in", "finder:a_out"])
        #expect(try names(PortQuery(pattern: "^finder:a_", direction: .output)) == ["finder:a_out"])
        #expect(try names(PortQuery(pattern: "_in$")) == ["finder:a_in", "finder:b_in"])
        #expect(
            try names(PortQuery(direction: .output, isPhysical: true)) == ["system:capture_1", "system:capture_2"])
        #expect(try names(PortQuery(pattern: "finder", isPhysical: true)).isEmpty)
        #expect(try !names(PortQuery(isPhysical: false)).contains("system:capture_1"))
        #expect(try names(PortQuery(type: "8 bit raw midi")).isEmpty)
        #expect(try names(PortQuery(pattern: "nobody")).isEmpty)
    }

    @Test func aPatternThatIsNoRegularExpressionIsAnInvalidRequest() throws {
        let client = try Client(name: "pattern", server: PrivateServer.name)
        let error = failure { () throws(JackError) in _ = try client.ports(PortQuery(pattern: "capture_(1")) }
        #expect(error?.kind == .invalidRequest)
        #expect(error?.description.contains("it is no regular expression") == true)
    }

    @Test func portsAreConnectedAndDisconnectedAndBothEndsSaySo() throws {
        let client = try activeClient("wires", [("in", .input), ("out", .output)])
        try client.connect("wires:out", to: "wires:in")
        func partners(_ port: String) throws -> [String] { try client.ports(PortQuery(pattern: port))[0].connections }
        // They are in force with the server's next cycle.
        try waitUntil("both say so") {
            try partners("wires:in") == ["wires:out"] && partners("wires:out") == ["wires:in"]
        }
        try client.connect("wires:out", to: "wires:in")
        try client.disconnect("wires:out", from: "wires:in")
        try waitUntil("neither says so") { try partners("wires:in").isEmpty && partners("wires:out").isEmpty }
    }

    @Test func aConnectionThatCannotBeMadeSaysWhy() throws {
        let client = try activeClient("wrong", [("in", .input), ("out", .output)])
        let missing = failure { () throws(JackError) in try client.connect("wrong:out", to: "wrong:nothing") }
        #expect(missing?.kind == .notFound)
        #expect(
            missing?.description == "cannot connect wrong:out to wrong:nothing: there is no port wrong:nothing")
        let backward = failure { () throws(JackError) in try client.connect("wrong:in", to: "wrong:out") }
        #expect(backward?.kind == .refused)
        let apart = failure { () throws(JackError) in try client.disconnect("wrong:out", from: "wrong:in") }
        #expect(apart?.kind == .notFound)
    }

    @Test func anUnregisteredPortIsGoneAndItsNameFreeAgain() throws {
        let client = try Client(name: "again", server: PrivateServer.name)
        let port = try client.register("in", .input)
        let taken = failure { () throws(JackError) in _ = try client.register("in", .input) }
        #expect(taken?.kind == .refused)
        try client.unregister(port)
        let gone = client.port(named: "again:in") == nil
        #expect(gone)
        _ = try client.register("in", .input)
    }

    @Test func aPortIsRenamed() throws {
        let client = try Client(name: "renaming", server: PrivateServer.name)
        let port = try client.register("before", .input)
        try client.rename(port, to: "after")
        let name = client.name(of: port)
        #expect(name == "renaming:after")
        let found = client.port(named: "renaming:after") != nil
        #expect(found)
    }

    @Test func aPortHasTwoAliasesAndNotThree() throws {
        let client = try Client(name: "aliases", server: PrivateServer.name)
        let port = try client.register("in", .input)
        try client.setAlias("first:one", of: port)
        try client.setAlias("second:one", of: port)
        let found = client.port(named: "aliases:in")
        #expect(found?.aliases == ["first:one", "second:one"])
        let third = failure { () throws(JackError) in try client.setAlias("third:one", of: port) }
        #expect(third?.kind == .refused)
    }

    @Test func propertiesOfAPortAreReadByAnotherClientUntilTheyAreRemoved() throws {
        let client = try Client(name: "labelled", server: PrivateServer.name)
        let port = try client.register("in", .input)
        let reader = try Client(name: "reader", server: PrivateServer.name)
        func read() -> [String?] {
            [
                reader.property(.prettyName, ofPortNamed: port.name),
                reader.property(.order, ofPortNamed: port.name),
            ]
        }
        #expect(read() == [nil, nil])
        try client.setProperty(.prettyName, of: port, to: "Gitarre ♯1")
        try client.setProperty(.order, of: port, to: "3")
        #expect(read() == ["Gitarre ♯1", "3"])
        client.removeProperties(of: port)
        #expect(read() == [nil, nil])
    }
}

/// The error of an operation, or `nil` if it succeeds.
func failure(_ operation: () throws(JackError) -> Void) -> JackError? {
    do throws(JackError) {
        try operation()
        return nil
    } catch {
        return error
    }
}

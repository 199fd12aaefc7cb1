import Testing

@testable import SystemHealth

@Suite("What dead servers leave, and servers whose processes cannot be seen")
struct LeftoverTests {
    /// A machine without a visible server, with these in the registry.
    ///
    /// - Parameter users: of the processes; the user of the machine where nothing is said.
    private func machine(
        _ servers: [(name: String, process: Int)], users: [Int: Int] = [:], _ changes: [String: String?] = [:]
    ) throws -> MadeUpMachine {
        var files: [String: String?] = [
            "/proc/500/stat": nil, "/dev/shm/jack_default_1000_0": nil,
            "/dev/shm/jack-shm-registry": MadeUpMachine.registry(servers, users: users),
        ]
        files.merge(changes) { $1 }
        return try MadeUpMachine(files)
    }

    private func dead(_ count: Int) -> [(name: String, process: Int)] { (0..<count).map { ("dead\($0)", 101 + $0) } }

    @Test func `what dead servers left is counted, and a database without a server is named`() throws {
        let database = try machine([], ["/dev/shm/jack_db-1000/x": ""])
        #expect(database.findings("leftovers").map(\.weight) == [.note])
        let some = try #require(try machine(dead(3)).findings("leftovers").first)
        #expect(some.weight == .note && some.statement.contains("3 of JACK's 8 places for servers are held"))
        #expect(some.remedy.first?.advice.value == "end all JACK servers, then")
        #expect(try machine(dead(8)).findings("leftovers").map(\.weight) == [.problem])
    }

    @Test func `where dead servers and live ones take all places, no further server can start`() throws {
        let live = (0..<5).map { (name: "live\($0)", process: 120 + $0) }
        let sockets = live.map { ("/dev/shm/jack_\($0.name)_1000_0", "" as String?) }
        let fixture = try machine(dead(3) + live, Dictionary(uniqueKeysWithValues: sockets))
        fixture.machine.isHeard = { $0.contains("_live") }
        let finding = try #require(fixture.findings("leftovers").first)
        #expect(finding.weight == .problem && finding.reason == "no further server can start", "\(finding)")
    }

    /// As in a container with processes of its own, and the shared memory of the machine.
    @Test func `a server that is heard lives, though its process cannot be seen`() throws {
        let fixture = try machine(
            [("stage", 101), ("gone", 102)],
            ["/dev/shm/jack_stage_1000_0": "", "/dev/shm/jack_gone_1000_0": "", "/dev/shm/jack_db-1000/x": ""]
                .merging(MadeUpMachine.process(600, "pipewire")) { $1 })
        fixture.machine.isHeard = { $0 == "/dev/shm/jack_stage_1000_0" }
        fixture.machine.answers = { $0 == "stage" }
        let leftovers = fixture.findings("leftovers")
        #expect(leftovers.count == 1, "the database is in use")
        #expect(leftovers.first?.statement.contains("1 of JACK's 8 places for servers is held") == true)
        #expect(leftovers.first?.statement.contains("(gone)") == true)
        #expect(leftovers.first?.remedy.first?.advice.value?.contains("(stage), in other containers too") == true)
        let server = try #require(fixture.findings("JACK server").first)
        #expect(server.weight == .ok && server.statement.hasPrefix("The JACK server stage answers;"))
        fixture.machine.answers = { _ in false }
        #expect(fixture.findings("libjack").map(\.weight) == [.ok], "its programs find that server beside PipeWire")
        let silent = try #require(fixture.findings("JACK server").first)
        #expect(silent.weight == .problem && silent.remedy.allSatisfy { $0.text.value == nil }, "there is none to kill")
    }

    @Test func `a server whose socket lets this user not in is neither dead nor alive`() throws {
        let fixture = try machine(
            [("stage", 101)], users: [101: 1001],
            ["/dev/shm/jack_stage_1001_0": "", "/dev/shm/jack_db-1000/x": ""])
        fixture.machine.isHeard = { _ in nil }
        let findings = fixture.findings("leftovers")
        #expect(findings.map(\.weight) == [.unseen] && findings.allSatisfy(\.remedy.isEmpty))
        #expect(findings.first?.statement.hasSuffix("cannot be seen: stage.") == true)
    }

    @Test func `of two users' servers of one name each has its own place and socket`() throws {
        let fixture = try machine(
            [("stage", 101), ("stage", 102)], users: [102: 1001],
            ["/dev/shm/jack_stage_1000_0": "", "/dev/shm/jack_stage_1001_0": ""])
        fixture.machine.isHeard = { $0 == "/dev/shm/jack_stage_1001_0" }
        #expect(
            fixture.findings("leftovers").first?.statement.contains("1 of JACK's 8 places for servers is held") == true)
        #expect(fixture.findings("JACK server").map(\.weight) == [.note], "none is this user's to join")
        fixture.machine.isHeard = { _ in false }
        #expect(
            fixture.findings("leftovers").first?.statement.contains("2 of JACK's 8 places for servers are held") == true
        )
    }

    @Test func `of servers with the same number in their containers the one of its own name is told`() throws {
        let fixture = try MadeUpMachine(
            MadeUpMachine.process(101, "jackd", arguments: ["jackd", "-n", "stage", "-d", "dummy"], priority: 10)
                .merging([
                    "/dev/shm/jack_stage_1000_0": "",
                    "/dev/shm/jack-shm-registry": MadeUpMachine.registry([("another", 101), ("stage", 101)]),
                ]) { $1 })
        fixture.machine.answers = { _ in true }
        let statements = fixture.findings("JACK server").map(\.statement)
        #expect(statements.contains { $0.hasPrefix("jackd (process 101, server stage) answers") }, "\(statements)")
    }
}

import Testing

@testable import SystemHealth

@Suite("A PipeWire of others, and one beside an idle jackdbus")
struct PipeWireTests {
    /// A machine whose programs use PipeWire's libjack.
    private func machine(_ changes: [String: String?] = [:]) throws -> MadeUpMachine {
        let fixture = try MadeUpMachine(changes)
        fixture.machine.libjack = ("3.1 (using PipeWire 1.4)", true)
        return fixture
    }

    private static let ofAnotherUser: [String: String?] = MadeUpMachine.process(600, "pipewire", user: 108)

    @Test func `a PipeWire outside of the container serves its programs where it answers`() throws {
        let fixture = try machine(["/.dockerenv": ""])
        #expect(fixture.findings("libjack").map(\.weight) == [.problem])
        fixture.machine.pipeWireAnswers = { true }
        let finding = try #require(fixture.findings("libjack").first)
        #expect(finding.weight == .ok && finding.statement.hasSuffix(", and a PipeWire of others answers."))
    }

    @Test func `a PipeWire for all users serves programs where it answers, and where its process is hidden`() throws {
        let hidden: [String: String?] = ["/proc/1/stat": nil]
        for changes in [Self.ofAnotherUser, hidden] {
            let fixture = try machine(changes)
            #expect(fixture.findings("libjack").map(\.weight) == [.problem])
            fixture.machine.pipeWireAnswers = { true }
            #expect(fixture.findings("libjack").map(\.weight) == [.ok])
        }
    }

    /// As on a desktop, where the greeter of the display manager has a PipeWire of its own.
    @Test func `no question starts the PipeWire of the user`() throws {
        func finding(_ changes: [String: String?]) throws -> Finding? {
            let fixture = try machine(changes)
            fixture.machine.pipeWireAnswers = {
                Issue.record("asked")
                return true
            }
            return fixture.findings("libjack").first
        }
        #expect(try finding([:])?.weight == .problem)
        let manager: [String: String?] = MadeUpMachine.process(
            700, "systemd", arguments: ["/usr/lib/systemd/systemd", "--user"])
        var changes = Self.ofAnotherUser.merging(manager) { $1 }
        #expect(try finding(changes)?.weight == .problem)
        changes["/run/pipewire/pipewire-0"] = ""
        #expect(try finding(changes)?.weight == .ok, "the socket for all users is asked")
    }

    @Test func `an idle jackdbus is no server that PipeWire could be in the way of`() throws {
        func weights(registry: String?) throws -> [[Finding.Weight]] {
            var changes: [String: String?] = MadeUpMachine.process(101, "jackdbus", arguments: ["jackdbus", "auto"])
                .merging(MadeUpMachine.process(600, "pipewire")) { $1 }
            changes["/proc/500/stat"] = .some(nil)
            changes["/dev/shm/jack_default_1000_0"] = .some(nil)
            changes["/dev/shm/jack-shm-registry"] = .some(registry)
            let fixture = try MadeUpMachine(changes)
            return ["other sound servers", "libjack", "PipeWire's quantum"].map { fixture.findings($0).map(\.weight) }
        }
        let idle: [[Finding.Weight]] = [[.ok], [.warning], [.warning]]
        let servers = [(name: "default", process: 101)]
        #expect(try weights(registry: nil) == idle)
        #expect(try weights(registry: MadeUpMachine.registry(servers)) == [[.note], [.ok], [.note]])
        // A server of another container may have the same number.
        #expect(try weights(registry: MadeUpMachine.registry(servers, users: [101: 1001])) == idle)
    }
}

import CommandTestSupport
import Foundation
import Jack
import TestSupport
import Testing

/// Two machines on a cable, each with a jackd. The near one keeps time and is NetJack2's master; the far one is its slave:
/// what is played there is a client's output here.
final class NetJack {
    let near = "iounit-\(getpid())-near"
    let far = "iounit-\(getpid())-far"
    private let cable: Cable
    private let slave: CommandRun
    private var master: CommandRun?

    private let periodFrames: Int

    /// - Parameters:
    ///   - periodFrames: of the master, which is the slave's too.
    ///   - latency: how many periods the slave's answer may take; NetJack2's own choice where not given.
    init(periodFrames: Int = 1024, latency: Int? = nil) throws {
        self.periodFrames = periodFrames
        cable = try Cable()
        slave = try cable.start(
            ["jackd", "-n", far, "-r", "-S", "-d", "net", "-n", "stage"] + (latency.map { ["-l", "\($0)"] } ?? []),
            at: .far)
        try startMaster()
    }

    /// The slave first: as long as it has a master it ends in order, and at once.
    deinit {
        slave.send(SIGTERM)
        _ = try? slave.end()
    }

    /// Waits until each end has its ports.
    func startMaster(sampleRate: Int = 48_000) throws {
        let rate = ["-r", "\(sampleRate)", "-p", "\(periodFrames)"]
        let master = try cable.start(
            ["jackd", "-n", near, "-r", "-S", "-I", "netmanager", "-d", "dummy"] + rate, at: .near)
        self.master = master
        try master.wait(until: "it answers") { ServerSocket.answers(serverName: near, patienceMilliseconds: 100) }
        for (server, port) in [(near, "^stage:from_slave_2$"), (far, "^system:playback_2$")] {
            let watcher = try Client(name: "watcher", server: server)
            try waitUntil("\(server) has \(port)") { try watcher.ports(PortQuery(pattern: port)).count == 1 }
        }
    }

    /// As where somebody pulls its plug. A netmanager that is to end in order takes twelve seconds for it.
    func endMaster() throws {
        master?.send(SIGKILL)
        _ = try master?.end()
        master = nil
    }

    /// Starts a slave on the same machine as a master, by way of its loopback. Both listen on one port, where the slave
    /// hears itself, and takes that for a master of 0 Hz.
    static func slaveOfItself(named name: String) throws -> CommandRun {
        let line = """
            ip link set lo up multicast on
            ip route add 224.0.0.0/4 dev lo
            setpriv --pdeathsig KILL jackd -n $0-master -r -I netmanager -d dummy &
            exec jackd -n $0 -r -d net
            """
        let slave = try Cable.machine("sh", "-ec", line, name)
        try slave.wait(until: "it has its master") { slave.out.contains("Sample rate : 0 frames") }
        return slave
    }
}

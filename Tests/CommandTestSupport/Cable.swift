import Foundation
import TestSupport
import Testing

/// Two machines on a cable, 10.0.0.1 the near one and 10.0.0.2 the far one.
///
/// They are network namespaces. JACK's own sockets are files, so that clients in each reach any server.
package final class Cable {
    package enum End { case near, far }

    package static let farAddress = "10.0.0.2"

    /// Whether network namespaces and a cable may be made here.
    package static let isPermitted =
        (try? machine("ip", "link", "add", "near", "type", "veth", "peer", "name", "far").end()) == 0

    private let run: CommandRun
    private let farProcess: pid_t

    package init() throws {
        run = try Self.machine("sh", ForeignProgram.path("cable.sh"))
        try run.wait(until: "there is a cable") { [run] in run.out.hasSuffix("\n") }
        farProcess = try #require(Int32(run.out.dropLast()), "\(run.err)")
    }

    /// Starts a program on one of the machines.
    package func start(
        _ words: [String], at end: End, input: FileHandle = .nullDevice, output: FileHandle? = nil
    ) throws -> CommandRun {
        let user = getuid() == 0 ? [] : ["--user", "--preserve-credentials"]
        let process = end == .near ? run.identifier : farProcess
        return try CommandRun(
            ["nsenter", "--target", "\(process)", "--net"] + user + words, program: "/usr/bin/env", input: input,
            output: output)
    }

    /// Puts the cable in, or pulls it.
    package func plug(_ isIn: Bool) throws {
        let run = try start(["ip", "link", "set", "near", isIn ? "up" : "down"], at: .near)
        try #require(try run.end() == 0, "\(run.err)")
    }

    /// Starts a program in a network namespace of its own, with the right to configure that.
    package static func machine(_ words: String...) throws -> CommandRun {
        let root = getuid() == 0 ? [] : ["--user", "--map-current-user", "--keep-caps"]
        return try CommandRun(["unshare", "--net"] + root + words, program: "/usr/bin/env")
    }
}

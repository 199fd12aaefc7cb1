import CommandTestSupport
import Foundation
import Jack
import TestSupport
import Testing

@Suite("What the surroundings refuse is named in one sentence")
struct RefusalTests {
    /// A run of the command in a mount namespace of its own, as root there.
    private func inside(_ preparation: String, _ words: String...) throws -> CommandRun {
        let root = getuid() == 0 ? [] : ["--user", "--map-root-user"]
        let line = "\(preparation) && exec \"$0\" \"$@\""
        let run = try CommandRun(
            ["unshare", "--mount", "--ipc", "--pid", "--fork", "--mount-proc"] + root + [
                "sh", "-c", line, CommandRun.program,
            ] + words,
            program: "/usr/bin/env")
        return run
    }

    private static let tiny = "mount -t tmpfs -o size=32m tmpfs /dev/shm"
    /// Docker gives a container so much.
    private static let small = "mount -t tmpfs -o size=64m tmpfs /dev/shm"
    private static let closed = "mount -t tmpfs -o size=256m tmpfs /dev/shm && mount -o remount,ro /dev/shm"

    @Test func `shared memory that is too small for a server`() throws {
        let run = try inside(Self.tiny, "monitor", "--dummy", "--seconds", "0.5")
        #expect(try run.end() == 69)
        #expect(run.err.contains("/dev/shm has 3"), "\(run.err)")
        #expect(run.err.contains("MB of 32 MB free") && run.err.contains("--shm-size"), "\(run.err)")
        // A private server makes do with what a container has; a jackd that somebody starts does not.
        let contained = try inside(Self.small, "monitor", "--dummy", "--seconds", "0.5")
        #expect(try contained.end() == 0, "\(contained.err)")
        let doctor = try inside(Self.small, "doctor")
        #expect(try doctor.end() == 1)
        #expect(doctor.out.contains("of 64 MB free"), "\(doctor.out)")
    }

    @Test func `shared memory that nobody may write to`() throws {
        let run = try inside(Self.closed, "monitor", "--dummy", "--seconds", "0.5")
        #expect(try run.end() == 69)
        #expect(run.err.contains("is read-only"), "\(run.err)")
        let doctor = try inside(Self.closed, "doctor")
        #expect(try doctor.end() == 1)
        #expect(doctor.out.contains("problem   /dev/shm is read-only"), "\(doctor.out)")
    }

    @Test(.privateServer(), arguments: [8, 12, 14, 16, 18, 20])
    func `too few open files`(_ limit: Int) throws {
        let run = try CommandRun(
            [
                "--nofile=\(limit)", CommandRun.program, "monitor", "--server", PrivateServer.name, "--source", "tone",
                "--seconds", "0.3",
            ], program: "/usr/bin/prlimit")
        #expect(try run.end() == 69)
        #expect(run.err.contains("ulimit -n \(limit)"), "\(run.err)")
    }

    /// `Tools/setup --tests` unpacks it beside the build.
    @Test(.privateServer()) func `jackd1's libjack`() throws {
        let root = URL(fileURLWithPath: #filePath).pathComponents.dropLast(4).joined(separator: "/").dropFirst()
        let machines = try FileManager.default.contentsOfDirectory(atPath: "\(root)/.build/jackd1/usr/lib")
        let library = "\(root)/.build/jackd1/usr/lib/\(try #require(machines.first))"
        #expect(FileManager.default.fileExists(atPath: "\(library)/libjack.so.0"))
        for words in [["--server", PrivateServer.name], ["--dummy"]] {
            let run = try CommandRun(
                ["monitor", "--seconds", "0.3"] + words, environment: ["LD_LIBRARY_PATH": library])
            #expect(try run.end() == 69)
            #expect(run.err.contains("jackd1's"), "\(run.err)")
            #expect(run.err.split(separator: "\n").count == 1, "\(run.err)")
        }
    }

    @Test func `a jackd where only PipeWire runs`() throws {
        let server = try PipeWireServer()
        let environment = server.runtime.merging(["JACK_DEFAULT_SERVER": "iounit-no-such"]) { $1 }
        let run = try CommandRun.run("monitor", "--seconds", "0.3", environment: environment)
        #expect(run.code == 69)
        #expect(run.err.contains("pw-jack") && run.err.contains("PipeWire"), "\(run.err)")
        try server.end(by: SIGTERM)
        let none = try CommandRun.run("monitor", "--seconds", "0.3", environment: environment)
        #expect(none.code == 69)
        #expect(!none.err.contains("PipeWire") && none.err.contains("start one with jackd"), "\(none.err)")
        let lonely = try server.iounit(["monitor", "--seconds", "0.3"])
        #expect(try lonely.end() == 69)
        #expect(lonely.err.contains("no PipeWire answers") && !lonely.err.contains("--dummy"), "\(lonely.err)")
    }

    /// Only root can start something as another user.
    @Test(.enabled(if: getuid() == 0)) func `a jackd of another user, and what would permit it`() throws {
        func preparation(_ environment: String) -> String {
            "\(Self.closed.split(separator: " && ")[0]) && chmod 1777 /dev/shm && (setpriv --reuid 1234 --regid 1234 "
                + "--clear-groups env \(environment) jackd -n stage -d dummy > /dev/null 2>&1 &) "
                + "&& timeout 20 sh -c 'until ls /dev/shm/jack_stage_*0 > /dev/null 2>&1; do sleep 0.05; done'"
        }
        let run = try inside(preparation("A=1"), "monitor", "--server", "stage", "--seconds", "0.2")
        #expect(try run.end() == 69)
        #expect(
            run.err.contains("is user 1234's, and lets only programs of that user in")
                && run.err.contains("JACK_PROMISCUOUS_SERVER=GROUP"), "\(run.err)")
        let shared = try inside(
            preparation("JACK_PROMISCUOUS_SERVER=1234"), "monitor", "--server", "stage", "--seconds", "0.2")
        #expect(try shared.end() == 69)
        #expect(
            shared.err.contains("shared with the group 1234; join that group, and set JACK_PROMISCUOUS_SERVER=1234"))
    }

    @Test func `a private server on PipeWire's libjack`() throws {
        let run = try PipeWireServer().iounit(["monitor", "--dummy", "--seconds", "0.3"])
        #expect(try run.end() == 64)
        #expect(run.err.contains("without pw-jack"), "\(run.err)")
        #expect(run.err.split(separator: "\n").count == 1 && !run.err.contains("jackctl"), "\(run.err)")
    }
}

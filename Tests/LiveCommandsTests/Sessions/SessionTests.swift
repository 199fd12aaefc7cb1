import CommandTestSupport
import Foundation
import Jack
import TestSupport
import Testing

/// `iounit monitor` under a session manager, whose side is spoken by liblo for Python.
@Suite("A session manager", .serialized, .ownServers) struct SessionTests {
    private let folder: TemporaryFolder
    init() throws { folder = try TemporaryFolder() }

    /// A run that the manager has started.
    private struct Managed {
        let run: CommandRun
        let orders = Pipe()

        init(
            _ folder: String, _ client: String, _ words: [String], environment: [String: String] = [:]
        ) throws {
            run = try CommandRun(
                [ForeignProgram.path("session_manager.py"), folder, client, CommandRun.program] + words,
                program: "/usr/bin/python3", environment: environment, input: orders.fileHandleForReading)
        }

        func order(_ word: String) { orders.fileHandleForWriting.write(Data("\(word)\n".utf8)) }

        func wait(for message: String) throws { try run.wait(until: message) { run.out.contains(message) } }

        func end() throws {
            order("quit")
            #expect(try run.end() == 0, "\(run.err)")
            #expect(run.out.contains("[\"exit\", -15]"), "\(run.out)\(run.err)")
        }
    }

    private var project: String { folder("song/iounit.nABCD") }
    private var saved: String { (try? String(contentsOfFile: "\(project)/session", encoding: .utf8)) ?? "" }

    @Test func `a run announces itself, takes the name it is given, and says when it has changed and is saved`() throws
    {
        let managed = try Managed(
            project, "iounit.nABCD",
            ["monitor", "--dummy", "--osc", "0", "--shape", "tanh", "--eq", "peak:1k:-3", "--record", "take.wav"])
        try managed.wait(for: "[\"/reply\", \"/nsm/client/open\", \"monitor runs as iounit.nABCD\"]")
        #expect(
            managed.run.out.contains("[\"/nsm/server/announce\", \"iounit\", \":dirty:message:\", \"iounit\", 1, 1, "))
        try managed.wait(for: "[\"/nsm/client/is_clean\"]")
        #expect(saved.contains("shape = tanh"))
        // What is recorded belongs to the session.
        #expect(FileManager.default.fileExists(atPath: "\(project)/take.wav"))
        managed.order("loaded")
        let port = try managed.run.portOfOSC()
        #expect(
            try CommandRun(["localhost", "\(port)", "/iounit/gain", "f", "-7.5"], program: "/usr/bin/oscsend").end()
                == 0)
        try managed.wait(for: "[\"/nsm/client/is_dirty\"]")
        #expect(saved.contains("gain = 0\n"))
        managed.order("save")
        try managed.wait(for: "[\"/reply\", \"/nsm/client/save\", ")
        #expect(saved.contains("gain = -7.5\n") && saved.contains("eq = peak:1000:-3:0.707\n"))
        #expect(!saved.contains("record"))
        managed.order("open")
        try managed.wait(for: "[\"/error\", \"/nsm/client/open\", -8, ")
        try managed.end()
    }

    @Test func `a preset that says which subcommand it is of takes part as that does`() throws {
        let config = folder("config/iounit/config")
        try FileManager.default.createDirectory(
            atPath: folder("config/iounit"), withIntermediateDirectories: true)
        try "[preset stage]\ncommand = monitor\ndummy\ngain = -3\n".write(
            toFile: config, atomically: true, encoding: .utf8)
        let managed = try Managed(
            project, "iounit.nABCD", ["--preset", "stage"], environment: ["XDG_CONFIG_HOME": folder("config")])
        try managed.wait(for: "monitor runs as iounit.nABCD")
        #expect(saved.contains("gain = -3\n"))
        try managed.end()
    }

    @Test func `what was saved is opened again by the bare name of the program`() throws {
        try FileManager.default.createDirectory(atPath: project, withIntermediateDirectories: true)
        try """
        [preset session]
        command = serve
        dummy
        port = 0
        shape = fold
        gain = -4.5
        eq = notch:50:2:off
        eq = peak:30000:-3
        shape-table = \(folder("curve"))
        plugin = fomp/autowah,drive=1e9
        """.write(toFile: "\(project)/session", atomically: true, encoding: .utf8)
        let managed = try Managed(project, "iounit.nXYZW", [])
        try managed.wait(for: "serve runs as iounit.nXYZW")
        // It was saved with these, at another sample rate, say: it must open.
        for complaint in [
            "--eq peak:30000 has no effect", "the shape table is left out",
            "drive=1e9 of fomp/autowah is set to the nearest",
        ] {
            try managed.run.wait(until: complaint) { managed.run.err.contains(complaint) }
        }
        try managed.run.wait(until: "the page is there") {
            managed.run.err.contains("the page is at http://127.0.0.1:")
        }
        managed.order("save")
        try managed.wait(for: "[\"/reply\", \"/nsm/client/save\", ")
        for line in [
            "command = serve", "port = 0", "shape = fold", "gain = -4.5", "eq = notch:50:2:off",
            "shape-table = \(folder("curve"))",
        ] {
            #expect(saved.contains("\(line)\n"), "\(line) is missing in \(saved)")
        }
        try managed.end()
    }

    @Test func `what a plug-in keeps beside its parameters comes back, and what is broken of it is told once`() throws {
        let bundle = try ProbeBundle.folder()
        let state = "\(project)/plugin-1.ttl"
        /// Opens the project, has it saved, and returns what is kept of the plug-in, with what was said.
        func saved(_ words: [String]) throws -> (state: String?, err: String) {
            let managed = try Managed(project, "iounit.nABCD", words, environment: ["LV2_PATH": bundle.path])
            try managed.wait(for: "monitor runs as iounit.nABCD")
            managed.order("save")
            try managed.wait(for: "[\"/reply\", \"/nsm/client/save\", ")
            try managed.end()
            return (try? String(contentsOfFile: state, encoding: .utf8), managed.run.err)
        }
        // It keeps the note 64.
        let first = try saved(["monitor", "--dummy", "--plugin", "probe/probe,preset=Kept,gain=3"])
        let text = try #require(first.state)
        #expect(text.contains("64") && self.saved.contains("plugin = probe/probe,preset=Kept,gain=3,"))
        try text.replacing("64", with: "77").write(toFile: state, atomically: true, encoding: .utf8)
        let second = try saved([])
        #expect(second.state?.contains("77") == true && second.state?.contains("64") == false, "\(second)")
        // Of a plug-in that is named now nothing was saved.
        try second.state?.write(toFile: state, atomically: true, encoding: .utf8)
        let other = try saved(["monitor", "--plugin", "probe/probe"])
        #expect(other.state?.contains("77") == false)
        for broken in [
            "nonsense", "", String(text.prefix(text.count / 2)), text.replacing("iounit:probe", with: "other"),
        ] {
            try broken.write(toFile: state, atomically: true, encoding: .utf8)
            let run = try saved([])
            #expect(run.err.components(separatedBy: "begins without it").count == 2, "\(run.err)")
            #expect(run.state?.contains("77") == false)
        }
        // Of a plug-in's other edition.
        let path = "\(project)/session"
        try self.saved.replacing("probe/probe,gain=1,", with: "probe/probe,preset=Gone,gone=3,gain=loud,")
            .replacing(",delay=0,", with: ",delay=9,").write(toFile: path, atomically: true, encoding: .utf8)
        let changed = try saved([])
        for part in ["has no preset \"Gone\"", "has no gone any more", "gain=loud of probe/probe is left out"] {
            #expect(changed.err.contains(part), "\(changed.err)")
        }
        #expect(
            self.saved.contains("plugin = probe/probe,preset=Gone,gain=1,") && self.saved.contains(",delay=9,"),
            "\(self.saved)")
    }

    /// They may come with another program of the session, which a manager that waits for an answer would not start.
    @Test func `the manager is answered while a run waits for its ports`() throws {
        let server = try Server(ServerConfiguration())
        defer { server.stop() }
        let words = ["monitor", "--server", server.name, "--input", "^late:", "--wait-ports", "--gain", "-3"]
        let managed = try Managed(project, "iounit.nWAIT", words)
        try managed.wait(for: "[\"/reply\", \"/nsm/client/open\", \"monitor waits for its ports as iounit.nWAIT\"]")
        try managed.wait(for: "waiting for ports: no port to take sound from")
        #expect(saved.contains("gain = -3\n") && saved.contains("input = ^late:\n"))
        try FileManager.default.removeItem(atPath: "\(project)/session")
        managed.order("save")
        try managed.wait(for: "[\"/reply\", \"/nsm/client/save\", ")
        #expect(saved.contains("gain = -3\n") && saved.contains("voice = off\n"))
        managed.order("open")
        try managed.wait(for: "[\"/error\", \"/nsm/client/open\", -8, ")

        let late = try Client(name: "late", server: server.name)
        _ = try late.register("out", .output)
        let process: ProcessCallback = { _, _ in 0 }
        try late.setProcess(process, context: nil, keeping: server)
        let active = try late.activate()
        try managed.wait(for: "the sound is as it should be")
        // The project has been opened once.
        #expect(managed.run.out.components(separatedBy: "\"/nsm/client/open\", \"monitor").count == 2)
        try managed.end()
        try active.close()
    }

    @Test func `a file that is no session is refused with the API's number, the line, and exit code 78`() throws {
        try FileManager.default.createDirectory(atPath: project, withIntermediateDirectories: true)
        try "[preset session]\ncommand = monitor\ngian = 3\n".write(
            toFile: "\(project)/session", atomically: true, encoding: .utf8)
        let managed = try Managed(project, "iounit.nABCD", [])
        #expect(try managed.run.end() == 0)
        #expect(managed.run.out.contains("[\"/error\", \"/nsm/client/open\", -9, "), "\(managed.run.out)")
        #expect(managed.run.out.contains("session:3: ") && managed.run.out.contains("[\"exit\", 78]"))
    }

    @Test func `without a JACK server the manager is told why`() throws {
        let managed = try Managed(project, "iounit.nABCD", ["monitor", "--server", "no-such-server"])
        #expect(try managed.run.end() == 0)
        #expect(managed.run.out.contains("[\"/error\", \"/nsm/client/open\", -1, "), "\(managed.run.out)")
        #expect(managed.run.out.contains("[\"exit\", 69]"))
    }

    @Test func `a project that cannot be made is refused with the API's number, and exit code 73`() throws {
        let file = folder("file")
        try "".write(toFile: file, atomically: true, encoding: .utf8)
        let managed = try Managed("\(file)/iounit.nABCD", "iounit.nABCD", ["monitor", "--dummy"])
        #expect(try managed.run.end() == 0)
        #expect(managed.run.out.contains("[\"/error\", \"/nsm/client/open\", -10, "), "\(managed.run.out)")
        #expect(managed.run.out.contains("[\"exit\", 73]"))
    }

    @Test func `a manager that refuses is told of, and the run goes on without`() throws {
        let managed = try Managed(project, "deny", ["monitor", "--dummy", "--seconds", "0.2"])
        #expect(try managed.run.end() == 0)
        #expect(managed.run.err.contains("the session manager refuses (-2): too new; going on without a session"))
        #expect(managed.run.out.contains("[\"exit\", 0]"))
    }

    @Test(arguments: ["nonsense", "osc.tcp://localhost:7000/", "osc.udp://localhost:70000/"])
    func `an address that is none is told of, and the run goes on without`(_ url: String) throws {
        let run = try CommandRun.run("monitor", "--dummy", "--seconds", "0.1", environment: ["NSM_URL": url])
        #expect(run.code == 0 && run.err.contains("NSM_URL is not of the form osc.udp://HOST:PORT/"), "\(run.err)")
    }

    @Test func `subcommands that take no part do not look for a manager`() throws {
        let run = try CommandRun.run("--version", environment: ["NSM_URL": "nonsense"])
        #expect(run.code == 0 && run.err.isEmpty)
    }
}

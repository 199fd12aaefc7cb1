import Foundation

/// A real icecast2 on a port of this machine, as it is installed by `Tools/setup --tests`.
public final class Icecast {
    public private(set) var port = 0
    private let listeners: Int
    private let folder: TemporaryFolder
    private var program: Program?

    /// What sources log in with, as `source`.
    public static let password = "hidden-word"

    /// Starts it; a port that is taken meanwhile is no reason to fail.
    ///
    /// - Parameter listeners: how many it takes.
    public init(listeners: Int = 50) throws {
        self.listeners = listeners
        folder = try TemporaryFolder()
        // It refuses to run as root, and then writes its logs as somebody else.
        chmod(folder.path, 0o777)
        try configure()
        if try !launch() {
            try configure()
            try start()
        }
    }

    /// For a port that is free now.
    private func configure() throws {
        port = try freePorts()
        let isRoot = geteuid() == 0
        let owner = isRoot ? "<changeowner><user>nobody</user><group>nogroup</group></changeowner>" : ""
        let text = """
            <icecast><hostname>localhost</hostname><location>here</location><admin>nobody@localhost</admin>
            <limits><clients>\(listeners + 10)</clients><sources>3</sources><queue-size>524288</queue-size>
            <source-timeout>120</source-timeout><burst-size>0</burst-size></limits>
            <authentication><source-password>\(Self.password)</source-password><admin-user>admin</admin-user>
            <admin-password>\(Self.password)</admin-password></authentication>
            <listen-socket><port>\(port)</port><bind-address>127.0.0.1</bind-address></listen-socket>
            <paths><basedir>\(folder.path)</basedir><logdir>\(folder.path)</logdir>
            <webroot>/usr/share/icecast2/web</webroot><adminroot>/usr/share/icecast2/admin</adminroot></paths>
            <logging><accesslog>access.log</accesslog><errorlog>error.log</errorlog><loglevel>3</loglevel></logging>
            <security><chroot>0</chroot>\(owner)</security></icecast>
            """
        try Data(text.utf8).write(to: URL(fileURLWithPath: folder("icecast.xml")))
    }

    deinit { kill() }

    public func start() throws {
        var hasStarted = try launch()
        // A defect of Icecast 2.4.4: asked for anything while it starts, it ended so in 4 of 120 starts. A source that comes back asks,
        // and so do we.
        if program?.code == -SIGSEGV { hasStarted = try launch() }
        guard hasStarted else { throw DidNotHappen(description: "icecast2 has ended; \(lastWords)") }
    }

    /// Returns when it answers, and whether it does: `false` where it has ended, as at a port that is taken.
    private func launch() throws -> Bool {
        let program = try Program(
            "/usr/bin/prlimit", ["--nofile=\(listeners + 200)", "/usr/bin/icecast2", "-c", folder("icecast.xml")])
        self.program = program
        var answers = false
        do {
            try waitUntil("icecast2 answers") {
                answers = try status() != nil
                return answers || !program.isRunning
            }
        } catch {
            throw DidNotHappen(description: "\(error); \(lastWords)")
        }
        return answers
    }

    private var lastWords: String {
        let log = try? String(contentsOfFile: folder("error.log"), encoding: .utf8)
        return "it says: \(log?.suffix(600) ?? "nothing")"
    }

    /// Ends it without a word to anybody.
    public func kill() {
        program?.end()
        program = nil
    }

    /// While it runs.
    public var identifier: pid_t? { program?.identifier }

    public func send(_ signal: Int32) { program?.send(signal) }

    /// A target on it, without a password.
    public func target(_ mount: String) -> String { "icecast://source@127.0.0.1:\(port)/\(mount)" }

    public func address(_ mount: String) -> String { "http://127.0.0.1:\(port)/\(mount)" }

    /// What it says of its sources, by their mounts; `nil` while it does not answer.
    public func status() throws -> [String: [String: Any]]? {
        let script =
            "import sys, urllib.request as u; sys.stdout.buffer.write(u.urlopen(sys.argv[1], timeout=5).read())"
        guard
            let data = try Program.output(of: "/usr/bin/python3", ["-c", script, address("status-json.xsl")]),
            // While it starts it answers with gaps in the JSON.
            let page = try? JSONSerialization.jsonObject(with: data) as? [String: Any],
            let facts = page["icestats"] as? [String: Any]
        else { return nil }
        let sources = facts["source"] as? [[String: Any]] ?? (facts["source"] as? [String: Any]).map { [$0] } ?? []
        var found: [String: [String: Any]] = [:]
        for source in sources {
            let name = (source["listenurl"] as? String)?.split(separator: "/").last.map(String.init) ?? ""
            found[name] = source
        }
        return found
    }
}

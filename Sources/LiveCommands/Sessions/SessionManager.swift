import AudioReports
import AudioStreaming
import CommandSyntax
import Glibc
import LiveRuns
import Threads

/// The connection to a session manager: the client's side of the NSM API 1.1.
///
/// See https://new-session-manager.jackaudio.org/api/index.html. Thread: control. Only what comes from the address and the port of the
/// manager is taken.
final class SessionManager {
    /// Where a program keeps what belongs to a session, and what it is called there.
    struct Project: Equatable {
        /// Of a folder that is the program's alone; it need not be there yet.
        var path: String
        /// The name in JACK.
        var clientName: String
    }

    /// What the manager asks for.
    enum Request: Equatable {
        case open(Project)
        case save
        /// All programs of the session are there.
        case sessionIsLoaded
        /// A message of the API for clients that cannot be understood.
        case malformed(address: String)
    }

    /// The API's numbers.
    enum Code: Int32 {
        case general = -1
        case notNow = -8
        case badProject = -9
        case createFailed = -10
    }

    private let socket: OSCSocket
    private let address: OSCSocket.Peer
    /// Where the manager answers from.
    private var peer: OSCSocket.Peer?

    /// A turn of the run's loop looks at so many datagrams.
    static let mostAtOnce = 100
    static let applicationName = "iounit"
    private static let version: [OSCMessage.Argument] = [.integer(1), .integer(1)]

    /// - Parameter url: as in NSM_URL: `osc.udp://HOST:PORT/`.
    /// - Throws: 68 where it is none, or its host has no address; 69 without the library for OSC.
    init(url: String) throws(Failure) {
        do { try OptionalLibrary.liblo.load() } catch { throw error.failure }
        guard let parts = url.wholeMatch(of: /osc\.udp:\/\/(.+):([0-9]{1,5})\/?/)?.output, let port = Int(parts.2),
            (1...65535).contains(port)
        else {
            throw Failure(
                .noHost, "NSM_URL is not of the form osc.udp://HOST:PORT/ but \"\(shown(url))\"; NSM speaks UDP alone")
        }
        address = try OSCSocket.peer(host: String(parts.1.trimmingPrefix("[").prefix { $0 != "]" }), port: port)
        socket = try OSCSocket(to: address)
    }

    /// To be polled.
    var descriptor: CInt { socket.descriptor }

    /// Tells the manager of this program, and waits for its answer.
    ///
    /// - Throws: 69 where there is none in time, or it refuses.
    func announce(within seconds: Double) throws(Failure) {
        let program = FilePath(CommandLine.arguments.first ?? Self.applicationName).name
        socket.send(
            OSCMessage(
                "/nsm/server/announce",
                [.text(Self.applicationName), .text(":dirty:message:"), .text(program)] + Self.version
                    + [.integer(getpid())]), to: address)
        peer = try wait(seconds) { message, sender throws(Failure) -> OSCSocket.Peer? in
            guard Self.isManager(sender, at: self.address), message.arguments.first == .text("/nsm/server/announce")
            else { return nil }
            switch (message.address, message.arguments.dropFirst().first, message.arguments.dropFirst(2).first) {
            case ("/reply", _, _): return sender
            case ("/error", .integer(let code), let reason):
                throw Failure(.noServer, "the session manager refuses (\(code)): \(reason?.text ?? "")")
            default: return nil
            }
        }
        if peer == nil { throw Failure(.noServer, "the session manager does not answer") }
    }

    /// Whether somebody is the manager at an address. One on this machine may answer from another address of it than that of its name, which
    /// often is 127.0.1.1, and nobody else on this machine can have its port.
    static func isManager(_ sender: OSCSocket.Peer, at address: OSCSocket.Peer) -> Bool {
        sender == address || sender.port == address.port && address.isLocal && sender.isLocal
    }

    /// Waits for the project that this run is to be.
    ///
    /// - Throws: 69 where none comes in time.
    func waitForProject(within seconds: Double) throws(Failure) -> Project {
        let project = try wait(seconds) { message, sender throws(Failure) -> Project? in
            guard sender == self.peer, case .open(let opened)? = Self.request(message) else { return nil }
            return opened
        }
        guard let project else {
            throw Failure(.noServer, "the session manager answered and opened nothing within \(Int(seconds)) s")
        }
        return project
    }

    /// What has come from the manager. What one call leaves, because too much has come, is for the next one.
    func takeRequests() -> [Request] {
        var requests: [Request] = []
        for _ in 0..<Self.mostAtOnce {
            guard let (bytes, sender) = socket.next() else { break }
            guard sender == peer else { continue }
            requests += OSCPacket(bytes).messages.compactMap(Self.request)
        }
        return requests
    }

    static func request(_ message: OSCMessage) -> Request? {
        switch message.address {
        case "/nsm/client/open":
            let texts = message.arguments.compactMap(\.text)
            guard texts.count == 3, texts[0].hasPrefix("/"), !texts[2].isEmpty else {
                return .malformed(address: message.address)
            }
            return .open(Project(path: texts[0], clientName: texts[2]))
        case "/nsm/client/save": return .save
        case "/nsm/client/session_is_loaded": return .sessionIsLoaded
        default: return nil
        }
    }

    /// Answers a request that was done.
    func reply(to address: String, _ words: String) { send(OSCMessage("/reply", .text(address), .text(words))) }

    /// Answers a request that was not.
    func refuse(_ address: String, _ code: Code, _ sentence: String) {
        send(OSCMessage("/error", .text(address), .integer(code.rawValue), .text(sentence)))
    }

    /// Tells whether there is something to be saved.
    func tell(isDirty: Bool) { send(OSCMessage(isDirty ? "/nsm/client/is_dirty" : "/nsm/client/is_clean")) }

    /// What is seen beside the program's name.
    func tell(label: String) { send(OSCMessage("/nsm/client/label", .text(label))) }

    /// - Parameter priority: 0…3, 3 being the most important.
    func tell(_ words: String, priority: Int32) {
        send(OSCMessage("/nsm/client/message", .integer(priority), .text(words)))
    }

    private func send(_ message: OSCMessage) { if let peer { socket.send(message, to: peer) } }

    /// Waits for a message in which there is what is waited for; `nil` where none comes in time.
    private func wait<Found>(
        _ seconds: Double, _ find: (OSCMessage, OSCSocket.Peer) throws(Failure) -> Found?
    ) throws(Failure) -> Found? {
        let deadline = MonotonicClock.nanoseconds() + UInt64(seconds * 1e9)
        while true {
            while MonotonicClock.nanoseconds() < deadline, let (bytes, sender) = socket.next() {
                for message in OSCPacket(bytes).messages { if let found = try find(message, sender) { return found } }
            }
            guard MonotonicClock.nanoseconds() < deadline else { return nil }
            _ = InputWait.wait(for: [socket.descriptor], untilNanoseconds: deadline)
        }
    }
}

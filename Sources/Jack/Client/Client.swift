import CJack
import Threads

/// A client that is open but takes no part in the graph yet: it can be wired, and then activated.
public struct Client: JackClient, Sendable, ~Copyable {
    let connection: Connection
    /// The name that was asked for; `name` is the one that the server gave.
    public let requestedName: String

    /// Opens a client on a server that is running already.
    ///
    /// - Parameters:
    ///   - name: what the client is to be called, at most `Client.longestName` bytes without a colon.
    ///   - server: which server; `nil` for the one that `JACK_DEFAULT_SERVER` names, or `default`.
    ///   - permitsRenaming: lets JACK append a number where the name is taken: `name` is then another than
    ///     `requestedName`. PipeWire gives one name to several clients, and says nothing.
    /// - Throws: `noServer`, `nameTaken`, `versionMismatch`, `resources`, `invalidRequest`, `refused`.
    ///
    /// Thread: control.
    public init(name: String, server: String? = nil, permitsRenaming: Bool = true) throws(JackError) {
        let operation = "open a client named \(name)"
        guard Self.isName(name) else {
            throw JackError(
                .invalidRequest, operation,
                "a client's name has 1 to \(Self.longestName) bytes and no colon; choose another")
        }
        // libjack copies the server's name into fields that it does not measure.
        guard server.map({ (1...Self.longestServerName).contains($0.utf8.count) }) ?? true else {
            throw JackError(
                .invalidRequest, operation,
                "a server's name has 1 to \(Self.longestServerName) bytes; choose another")
        }
        let connection = Connection(hub: try LibJack.open(name: name, server: server, for: operation))
        // JackUseExactName would do, but jackd's libjack then says "server error", whatever is wrong.
        if !permitsRenaming {
            guard connection.hub.name == name else {
                throw JackError(
                    .nameTaken, operation, "another client has that name; choose another, or let JACK rename this one")
            }
        }
        // NetJack2's slave and master listen on one port: on one machine the slave hears itself instead of the master.
        guard unsafe LibJack.isPipeWire || jack_get_sample_rate(connection.hub.client) > 0 else {
            throw JackError(
                .refused, operation,
                "the server runs at 0 Hz, as a NetJack slave does on its master's machine; run it on another one")
        }
        self.connection = connection
        requestedName = name
    }

    /// Whether a client can be called so: 1 to `longestName` bytes of UTF-8, without a colon.
    public static func isName(_ name: String) -> Bool {
        (1...longestName).contains(name.utf8.count) && !name.contains(":") && !name.contains("\0")
    }

    /// How many bytes a client's name may have. libjack counts an end in that it does not leave room for.
    public static var longestName: Int { Int(jack_client_name_size()) - 2 }
    /// How many bytes a server's name may have: it becomes part of a socket's path.
    public static let longestServerName = 64

    /// Adds a port. Thread: control.
    ///
    /// - Parameter type: `PortInfo.audioType` or `PortInfo.midiType`.
    /// - Throws: `refused` where the client has a port of that name, or the server has no more ports to give.
    public func register(
        _ name: String, _ direction: PortDirection, type: String = PortInfo.audioType
    ) throws(JackError) -> Port {
        let flags = direction == .input ? JackPortIsInput : JackPortIsOutput
        let port = try view.request("register the port \(name)") { client in
            unsafe jack_port_register(client.raw, name, type, UInt(flags.rawValue), 0)
                .map { unsafe PortHandle(raw: $0) }
        }
        guard let port else {
            throw JackError(
                .refused, "register the port \(name)",
                "the client has one of that name, or the server has no more to give (jackd --port-max)")
        }
        return unsafe Port(port.raw)
    }

    /// Sets the function that JACK's audio thread calls in each cycle.
    ///
    /// - Parameters:
    ///   - callback: a global `@c` function.
    ///   - context: passed to it; must stay valid until the client is closed.
    ///   - owner: what owns the context; the client keeps it until libjack has closed it, which may be later than the end
    ///     of this value, where JACK does not answer.
    ///
    /// Thread: control.
    @unsafe public func setProcess(
        _ callback: ProcessCallback, context: UnsafeMutableRawPointer?,
        keeping owner: (any AnyObject & Sendable)? = nil
    ) throws(JackError) {
        if let owner { connection.hub.keep(owner) }
        guard unsafe jack_set_process_callback(connection.hub.client, callback, context) == 0 else {
            throw JackError(.refused, "set the process callback of \(name)", "JACK refused")
        }
    }

    /// Joins the graph: from now on the process callback is called. Thread: control.
    ///
    /// - Throws: `resources` where the audio thread did not start within a second, `serverGone`, `refused`, `unresponsive`.
    public consuming func activate() throws(JackError) -> ActiveClient {
        let operation = "activate \(name)"
        let hub = connection.hub
        let (result, said) = try view.request(operation) { client in
            let (result, lines) = LibJack.hearing { unsafe jack_activate(client.raw) }
            let refusal = lines.first { $0.hasPrefix(LibJack.refusedThread) }
            // Other lines may stand before it: libjack reports for the whole process. Of a thread that was refused it says the
            // same, but that one can start no more.
            let isLate = result != 0 && refusal == nil && lines.contains(LibJack.lateThread)
            if isLate { hub.hasLateThread.store(true, ordering: .releasing) }
            return (result, isLate ? LibJack.lateThread : refusal ?? lines.first)
        }
        guard result == 0 else {
            if let said, said.hasPrefix(LibJack.refusedThread) {
                throw failure(
                    operation, "the machine has no more threads to give; end other programs, and try again",
                    kind: .resources)
            }
            if said == LibJack.lateThread {
                throw failure(
                    operation,
                    "its audio thread did not start within a second; end what keeps the processors busy, and try again",
                    kind: .resources)
            }
            throw failure(operation, said ?? "JACK refused")
        }
        return ActiveClient(connection: connection)
    }

    /// Closes the client now; a value that ends does the same, and says nothing. Thread: control.
    ///
    /// - Throws: `unresponsive` where libjack does not come back within 7 s; it goes on with it.
    public consuming func close() throws(JackError) { try connection.close() }

    public var view: ConnectionView { ConnectionView(hub: connection.hub) }
}

/// A client that takes part in the graph: its process callback is called in each cycle, until the value ends.
///
/// The order of destruction is here: deactivate, then close; what the callback uses is freed by its owner after that.
public struct ActiveClient: JackClient, Sendable, ~Copyable {
    let connection: Connection

    /// Leaves the graph and closes the client now; a value that ends does the same, and says nothing. Thread: control.
    ///
    /// - Throws: `unresponsive` where libjack does not come back within 7 s; it goes on with it.
    public consuming func close() throws(JackError) { try connection.close() }

    public var view: ConnectionView { ConnectionView(hub: connection.hub) }
}

extension ActiveClient {
    /// What the audio thread has cost so far, or `nil` where it does not run yet. Thread: control.
    public var audioThreadUsage: ThreadUsage? { ThreadUsage(thread: view.hub.audioThread.load(ordering: .relaxed)) }
}

/// An open libjack client. It is closed when the value ends, and every port, buffer and pointer with it.
struct Connection: ~Copyable, Sendable {
    let hub: NotificationHub

    deinit {
        // Where the close does not come back in time, the control thread goes on with it.
        try? LibJack.close(hub)
    }

    /// Closes the client now.
    ///
    /// - Throws: `unresponsive` where libjack does not come back in time. It goes on with it, and what the callbacks use
    ///   is kept until then.
    consuming func close() throws(JackError) { try LibJack.close(hub) }
}

/// A client's address for the audio thread. It is valid while the client is active.
@safe public struct ClientHandle: @unchecked Sendable {
    // Sendable: libjack's functions on clients may be called from any thread.
    @usableFromInline let raw: OpaquePointer

    init(_ raw: OpaquePointer) { unsafe self.raw = raw }
}

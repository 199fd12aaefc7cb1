import CJack
import Synchronization
import Threads

/// The library as a whole: what all clients of a process share.
public enum LibJack {
    /// The server that the process is on, and with which clients.
    private struct Presence {
        /// The name of the server.
        var server = ""
        /// Which one of that name: it changes with each start of the server.
        var identity: ServerSocket.Identity?
        /// libjack's clients that are open.
        var clients: [NotificationHub] = []
    }

    /// Changed on the control thread alone.
    private static let presence = Mutex(Presence())
    private static let hasLostServer = Atomic<Bool>(false)

    private struct Log {
        var lines: [String] = []
        /// How many lines there have been.
        var count = 0
    }

    private static let log = Mutex(Log())
    private static let capacity = 64

    /// What libjack has said, oldest first; the last 64 lines. It goes here and not to the terminal.
    public static var messages: [String] { log.withLock { $0.lines } }

    /// What libjack said during an operation. The other lines follow from the first.
    static func hearing<Result>(_ operation: () -> Result) -> (result: Result, lines: ArraySlice<String>) {
        let before = log.withLock { $0.count }
        let result = operation()
        return (result, log.withLock { $0.lines.suffix(min($0.count - before, $0.lines.count)) })
    }

    fileprivate static func note(_ message: UnsafePointer<CChar>?) {
        // SAFETY: libjack passes a terminated string that lives for the call.
        guard let message = unsafe message, case let text = unsafe String(cString: message), !text.isEmpty
        else { return }
        log.withLock { log in
            if log.lines.count == capacity { log.lines.removeFirst() }
            log.lines.append(text)
            log.count += 1
        }
    }

    /// Takes libjack's messages off the terminal, once for the process.
    private static let isQuiet: Bool = {
        unsafe jack_set_error_function(noteMessage)
        unsafe jack_set_info_function(noteMessage)
        return true
    }()

    /// Whether this libjack is PipeWire's.
    public static let isPipeWire: Bool = version.contains("PipeWire")

    /// In the library's own words.
    public static let version: String = ownVersion ?? "of jackd1, which tells no version"

    private static let ownVersion: String? = unsafe cjack_version().map { unsafe String(cString: $0) }

    /// What libjack has not come back from in time, or `nil`: nothing can be asked of JACK until then, and `exit` may
    /// wait too.
    public static var overdueOperation: String? { ControlThread.shared.overdue }

    /// Whether libjack is in a call that a server must answer. Thread: any but audio.
    public static var isBusy: Bool { ControlThread.shared.isBusy }

    /// The name of the server that libjack means by this one.
    package static func place(of server: String?) -> String {
        server ?? Environment["JACK_DEFAULT_SERVER"] ?? "default"
    }

    /// The server is gone, or has thrown a client out. Thread: notification.
    static func noteShutdown() { hasLostServer.store(true, ordering: .releasing) }
}

// Opening and closing.
extension LibJack {
    /// Refuses jackd1's libjack. Measured of 0.126: a client on it hears silence, and its run does not end.
    static func checkLibrary(for operation: String) throws(JackError) {
        guard ownVersion == nil else { return }
        throw JackError(
            .versionMismatch, operation,
            "the libjack that is loaded is jackd1's; install jackd2 (apt-get install jackd2 libjack-jackd2-0), or use "
                + "PipeWire's with pw-jack")
    }

    /// A client of jackd needs as many files at a time, while it is opened: measured of jackd 1.9.21, up to 14. With fewer
    /// its libjack says that there is no server, does not come back, or ends the program by SIGSEGV.
    private static let descriptorsOfClient = 16

    /// Opens a client with everything that needs to be in order for it; returns the hub of its callbacks, which are in place.
    ///
    /// jackd's libjack maps one server's memory per process. A client on a second server would silently read the
    /// first one's, and one opened after a server's death would have the library free the clients that are left over
    /// from it, which we still hold: both are refused.
    static func open(name: String, server: String?, for operation: String) throws(JackError) -> NotificationHub {
        try checkLibrary(for: operation)
        if let shortage = DescriptorLimit.shortage(of: descriptorsOfClient) {
            throw JackError(.resources, operation, shortage)
        }
        return try ControlThread.shared.perform(
            operation, patienceSeconds: ControlThread.openingPatienceSeconds,
            unclaimed: { (opened: Result<NotificationHub, JackError>) in
                if case .success(let hub) = opened { end(hub) }
            },
            { Result { () throws(JackError) in try openNow(name: name, server: server, for: operation) } }
        ).get()
    }

    /// Closes a client; the second time it does nothing.
    ///
    /// - Throws: `unresponsive`.
    static func close(_ hub: NotificationHub) throws(JackError) {
        guard hub.finish() else { return }
        try ControlThread.shared.perform("close a JACK client", mustRun: true) { end(hub) }
    }

    /// How long a server may take to let somebody in who knocks, in milliseconds.
    private static let doorPatience: CInt = 5000

    /// Refuses a server that does not let us in, or is not there, before libjack is asked, which would wait for it without
    /// end, and would open the database of port properties, which one that is starting makes at that very time: seen to end
    /// the program by SIGBUS, in libdb. jackd2 has no other way in than its socket.
    private static func checkDoor(of place: String, server: String?, for operation: String) throws(JackError) {
        guard !isPipeWire else { return }
        switch ServerSocket.knock(serverName: place, patienceMilliseconds: doorPatience) {
        case .answered: return
        case .absent: throw OpenStatus.serverFailed.error(operation, server: server, said: nil)
        case .silent: throw OpenStatus.serverError.error(operation, server: server, said: nil)
        }
    }

    /// Whether this process still has clients of a server that is gone, so that none can be opened. Thread: any.
    package static func hasClientsOfLostServer(server: String?) -> Bool {
        let identity = identity(ofServerAt: place(of: server))
        return presence.withLock { !isPipeWire && !$0.clients.isEmpty && isOutlived($0, identity) }
    }

    /// What to say where one of the clients that are open never will be closed: then this process can join no other server. `nil`
    /// where there is none. Thread: any.
    package static var unclosableClient: String? { presence.withLock { unclosableClient($0) } }

    private static func unclosableClient(_ presence: Presence) -> String? {
        guard presence.clients.contains(where: { $0.hasLateThread.load(ordering: .acquiring) }) else { return nil }
        return "a client of this process whose audio thread started late cannot be closed; run this again"
    }

    /// Whether a port, by its full name, is said to be of a client of this process. Thread: any but audio.
    static func hasClient(ofPort name: String) -> Bool {
        presence.withLock { presence in presence.clients.contains { name.hasPrefix("\($0.name):") } }
    }

    /// Which start of a server is there; `nil` where that cannot be seen. Thread: any.
    package static func identity(ofServer server: String?) -> ServerSocket.Identity? {
        identity(ofServerAt: place(of: server))
    }

    private static func identity(ofServerAt place: String) -> ServerSocket.Identity? {
        isPipeWire ? nil : ServerSocket.identity(serverName: place)
    }

    /// A server that came back before its clients were told of its end is another one too.
    private static func isOutlived(_ presence: Presence, _ identity: ServerSocket.Identity?) -> Bool {
        hasLostServer.load(ordering: .acquiring) || presence.identity != identity
    }

    /// Thread: the control thread.
    private static func openNow(name: String, server: String?, for operation: String) throws(JackError)
        -> NotificationHub
    {
        _ = isQuiet
        _ = CancellationGuard.state
        let place = place(of: server)
        let present = identity(ofServerAt: place)
        try presence.withLock { (presence) throws(JackError) in
            guard !presence.clients.isEmpty, !isPipeWire else { return }
            guard presence.server == place else {
                throw JackError(
                    .invalidRequest, operation,
                    "this process has a client on the JACK server \"\(presence.server)\", and libjack knows one "
                        + "server at a time; close that client first, or use another process")
            }
            guard !isOutlived(presence, present) else {
                throw JackError(
                    .serverGone, operation,
                    "the server is gone, and "
                        + (unclosableClient(presence)
                            ?? "this process still has a client of its time; close that one first"))
            }
        }
        try checkDoor(of: place, server: server, for: operation)
        if !isPipeWire, let obstacle = RegistryLock.obstacle() { throw JackError(.resources, operation, obstacle) }
        var status = jack_status_t(0)
        let (client, lines) = unsafe hearing {
            unsafe OpeningTurn.take { unsafe cjack_client_open(name, JackNoStartServer, &status, server) }
        }
        // libjack has freed our other clients, because their server ended at this very moment: nobody may touch them.
        if lines.contains(where: { $0.hasPrefix("Cleanup client ref") }) {
            presence.withLock { presence in
                for hub in presence.clients { hub.isFreed.store(true, ordering: .releasing) }
                presence.clients = []
            }
        }
        guard let client = unsafe client else {
            throw OpenStatus(status).error(operation, server: server, said: lines.first)
        }
        let hub = unsafe NotificationHub(client: client)
        // libjack's pointer to the hub counts as a reference, given back when the client is closed.
        unsafe installCallbacks(on: client, hub: Unmanaged.passRetained(hub).toOpaque())
        // Asked now, as the one that was there before may have been dead already.
        let joined = identity(ofServerAt: place)
        presence.withLock { presence in
            presence.server = place
            presence.identity = joined
            presence.clients.append(hub)
        }
        return hub
    }

    /// What libjack says where a client's audio thread has not started after a second (JackPosixThread::StartSync), or not at
    /// all.
    static let lateThread = "Start thread error"
    /// And before that where the machine has refused the thread (JackPosixThread::StartImp).
    static let refusedThread = "Cannot create thread"

    /// Thread: the control thread.
    private static func end(_ hub: NotificationHub) {
        guard !hub.hasLateThread.load(ordering: .acquiring) else { return }
        if !hub.isFreed.load(ordering: .acquiring) {
            // SAFETY: the client is open, and nobody uses it any more. The first call fails harmlessly where the client
            // is not active, or the server is gone.
            unsafe jack_deactivate(hub.client)
            _ = unsafe jack_client_close(hub.client)
        }
        presence.withLock { presence in
            presence.clients.removeAll { $0 === hub }
            if presence.clients.isEmpty { hasLostServer.store(false, ordering: .releasing) }
        }
        // After the close no callback runs any more.
        unsafe Unmanaged.passUnretained(hub).release()
    }
}

@c(iounit_jack_message)
func noteMessage(_ message: UnsafePointer<CChar>?) {
    unsafe LibJack.note(message)
}

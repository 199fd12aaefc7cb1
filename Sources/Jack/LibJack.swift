import CJack
import Synchronization

/// The library as a whole: what all clients of a process share.
public enum LibJack {
    /// The server that the process is on, and with how many clients.
    private struct Presence {
        var server = ""
        var clients = 0
    }

    /// libjack's open and close are not safe against each other: each holds this.
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

    /// The first line that libjack said during an operation. Others follow from it.
    static func listening<Result>(_ operation: () -> Result) -> (result: Result, said: String?) {
        let before = log.withLock { $0.count }
        let result = operation()
        let said = log.withLock { $0.lines.suffix(min($0.count - before, $0.lines.count)).first }
        return (result, said)
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
    public static let version: String = unsafe String(cString: jack_get_version_string())

    /// Opens a client with everything that needs to be in order for it.
    ///
    /// jackd's libjack maps one server's memory per process. A client on a second server would silently read the
    /// first one's, and one opened after a server's death would have the library free the clients that are left over
    /// from it, which we still hold: both are refused.
    static func open(
        name: String, server: String?, for operation: String
    ) throws(JackError) -> OpaquePointer {
        _ = isQuiet
        let place = place(of: server)
        return unsafe try presence.withLock { (presence) throws(JackError) -> OpaquePointer in
            if presence.clients > 0 && !isPipeWire {
                guard presence.server == place else {
                    throw JackError(
                        .invalidRequest, operation,
                        "this process has a client on the JACK server \"\(presence.server)\", and libjack knows one "
                            + "server at a time; close that client first, or use another process")
                }
                guard !hasLostServer.load(ordering: .acquiring) else {
                    throw JackError(
                        .serverGone, operation,
                        "the server is gone, and this process still has a client of its time; close that one first")
                }
            }
            var status = jack_status_t(0)
            let (client, said) = unsafe listening {
                unsafe OpeningTurn.take { unsafe cjack_client_open(name, JackNoStartServer, &status, server) }
            }
            guard let client = unsafe client else {
                throw OpenStatus(status).error(operation, server: server, said: said)
            }
            presence.server = place
            presence.clients += 1
            return unsafe client
        }
    }

    /// The name of the server that libjack means by this one.
    static func place(of server: String?) -> String {
        unsafe server ?? getenv("JACK_DEFAULT_SERVER").map { unsafe String(cString: $0) } ?? "default"
    }

    static func close(_ client: OpaquePointer) {
        presence.withLock { presence in
            // SAFETY: the caller owns the client and does not use it again.
            _ = unsafe jack_client_close(client)
            presence.clients -= 1
            if presence.clients == 0 { hasLostServer.store(false, ordering: .releasing) }
        }
    }

    /// The server is gone, or has thrown a client out. Thread: notification.
    static func noteShutdown() { hasLostServer.store(true, ordering: .releasing) }
}

@c(iounit_jack_message)
func noteMessage(_ message: UnsafePointer<CChar>?) {
    unsafe LibJack.note(message)
}

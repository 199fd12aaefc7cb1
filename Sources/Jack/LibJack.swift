import CJack
import Synchronization

/// The library as a whole: what all clients of a process share.
public enum LibJack {
    /// libjack's open and close are not safe against each other: each holds this.
    static let openOrClose = Mutex<Void>(())

    private static let lastMessages = Mutex<[String]>([])
    private static let capacity = 64

    /// What libjack has said, oldest first; the last 64 lines. It goes here and not to the terminal.
    public static var messages: [String] { lastMessages.withLock { $0 } }

    fileprivate static func note(_ message: UnsafePointer<CChar>?) {
        // SAFETY: libjack passes a terminated string that lives for the call.
        guard let message = unsafe message, case let text = unsafe String(cString: message), !text.isEmpty
        else { return }
        lastMessages.withLock { lines in
            if lines.count == capacity { lines.removeFirst() }
            lines.append(text)
        }
    }

    /// Takes libjack's messages off the terminal, once for the process.
    static let isQuiet: Bool = {
        unsafe jack_set_error_function(noteMessage)
        unsafe jack_set_info_function(noteMessage)
        return true
    }()

    /// Opens a client with everything that needs to be in order for it.
    static func open(
        name: String, options: jack_options_t, server: String?
    ) -> (client: OpaquePointer?, status: OpenStatus, said: String?) {
        _ = isQuiet
        return unsafe openOrClose.withLock { _ in
            let before = messages
            var status = jack_status_t(0)
            let client = unsafe cjack_client_open(name, options, &status, server)
            let said = messages.last { !before.contains($0) }
            return unsafe (client, OpenStatus(status), said)
        }
    }

    static func close(_ client: OpaquePointer) {
        // SAFETY: the caller owns the client and does not use it again.
        _ = openOrClose.withLock { _ in unsafe jack_client_close(client) }
    }
}

@c(iounit_jack_message)
func noteMessage(_ message: UnsafePointer<CChar>?) {
    unsafe LibJack.note(message)
}

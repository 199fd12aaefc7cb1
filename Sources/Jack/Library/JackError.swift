import CJack

/// Why something that was asked of JACK did not happen, in one sentence: what failed, why, and what to do.
public struct JackError: Error, Sendable, Equatable, CustomStringConvertible {
    /// What the caller can do about it.
    public enum Kind: Sendable, Equatable {
        /// No server of that name answers: start one.
        case noServer
        /// The server went away while we were connected to it: reconnect.
        case serverGone
        /// The server, or libjack itself, did not answer in time: end the server, or this program.
        case unresponsive
        /// Another client has the name: choose another, or allow renaming.
        case nameTaken
        /// The request itself is wrong: change it.
        case invalidRequest
        /// The thing named does not exist: look it up.
        case notFound
        /// Client and server do not understand each other: install matching versions.
        case versionMismatch
        /// The machine refused memory, threads or files: look at its limits.
        case resources
        /// A program that is needed is not installed: install the package.
        case programMissing
        /// The private server did not come up or ended by itself: read its log.
        case serverFailed
        /// JACK said no and did not say why.
        case refused
    }

    /// What the caller can decide by.
    public var kind: Kind
    /// What was being done, as in "open a client named iounit".
    public var operation: String
    /// What is wrong and what to do about it.
    public var reason: String
    /// The bits of `jack_status_t` where the operation gives them, else 0.
    public var status: UInt32

    /// - Parameters:
    ///   - operation: what was being done, as in "open a client named iounit".
    ///   - reason: why it failed, and what to do.
    ///   - status: the bits of `jack_status_t`, 0 where JACK gave none.
    public init(_ kind: Kind, _ operation: String, _ reason: String, status: UInt32 = 0) {
        self.kind = kind
        self.operation = operation
        self.reason = reason
        self.status = status
    }

    public var description: String { "cannot \(operation): \(reason)" }
}

/// The bits of `jack_status_t`.
public struct OpenStatus: OptionSet, Sendable {
    public let rawValue: UInt32
    public init(rawValue: UInt32) { self.rawValue = rawValue }
    init(_ status: jack_status_t) { rawValue = status.rawValue }

    /// JackFailure: the operation failed; other bits say why.
    public static let failure = OpenStatus(JackFailure)
    /// JackInvalidOption: an option of the call was not valid.
    public static let invalidOption = OpenStatus(JackInvalidOption)
    /// JackNameNotUnique: the name is in use.
    public static let nameNotUnique = OpenStatus(JackNameNotUnique)
    /// JackServerStarted: libjack started a server for this call.
    public static let serverStarted = OpenStatus(JackServerStarted)
    /// JackServerFailed: no connection to the server.
    public static let serverFailed = OpenStatus(JackServerFailed)
    /// JackServerError: the protocol failed between client and server.
    public static let serverError = OpenStatus(JackServerError)
    /// JackNoSuchClient: there is no client of that name.
    public static let noSuchClient = OpenStatus(JackNoSuchClient)
    /// JackLoadFailure: an internal client could not be loaded.
    public static let loadFailure = OpenStatus(JackLoadFailure)
    /// JackInitFailure: the client could not be initialised.
    public static let initFailure = OpenStatus(JackInitFailure)
    /// JackShmFailure: the shared memory could not be reached.
    public static let sharedMemoryFailure = OpenStatus(JackShmFailure)
    /// JackVersionError: client and server speak different versions of JACK's protocol.
    public static let versionError = OpenStatus(JackVersionError)
    /// JackBackendError: the driver failed.
    public static let backendError = OpenStatus(JackBackendError)
    /// JackClientZombie: the server has removed the client from the graph.
    public static let clientZombie = OpenStatus(JackClientZombie)

    /// The error that a failed `jack_client_open` with these bits means. The most telling bit decides, because JACK
    /// sets several.
    func error(_ operation: String, server: String?, said: String?) -> JackError {
        let place = server.map { "JACK server \"\($0)\"" } ?? "JACK server"
        let detail = said.map { " (libjack says: \($0))" } ?? ""
        let (kind, reason): (JackError.Kind, String) =
            if contains(.nameNotUnique) {
                (.nameTaken, "another client has that name; choose another, or let JACK rename this one")
            } else if contains(.versionError) {
                (.versionMismatch, "libjack and the \(place) are of different versions; install matching ones\(detail)")
            } else if contains(.sharedMemoryFailure) {
                (.resources, "the shared memory of the \(place) cannot be reached; is it another user's?\(detail)")
            } else if contains(.clientZombie) {
                (.serverGone, "the server has thrown this client out; open it again\(detail)")
            } else if contains(.serverFailed) {
                (.noServer, Self.absence(place, server: server))
            } else if contains(.serverError) {
                (.noServer, "the \(place) does not answer; restart it\(detail)")
            } else if contains(.invalidOption) {
                (.invalidRequest, "JACK does not take that name or option\(detail)")
            } else if contains(.initFailure) {
                (.resources, "the client's threads or memory could not be set up\(detail)")
            } else if contains(.backendError) {
                (.refused, "the backend of the \(place) failed\(detail)")
            } else {
                (.refused, "JACK refused, with status 0x\(String(rawValue, radix: 16))\(detail)")
            }
        return JackError(kind, operation, reason, status: rawValue)
    }

    /// That there is no server, and what to do: jackd's libjack finds no PipeWire, and PipeWire's no jackd.
    private static func absence(_ place: String, server: String?) -> String {
        if LibJack.isPipeWire {
            return "no PipeWire answers; start it, as with systemctl --user start pipewire, or run this without pw-jack"
        }
        if let foreign = ForeignServer(serverName: LibJack.place(of: server)) {
            return "no \(place) of this user is running: \(foreign.explanation)"
        }
        guard server == nil, PipeWireSocket.knock(patienceMilliseconds: 500) == .answered else {
            return "no \(place) is running; start one with jackd"
        }
        return "no jackd is running, and PipeWire is: run this on PipeWire with pw-jack in front of it "
            + "(pw-jack iounit …; it is in the package pipewire-jack), or start a server with jackd"
    }
}

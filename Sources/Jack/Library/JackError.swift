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

    public var kind: Kind
    /// What was being done, as in "open a client named iounit".
    public var operation: String
    /// What is wrong and what to do about it.
    public var reason: String
    /// The bits of `jack_status_t` where the operation gives them, else 0.
    public var status: UInt32

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

    public static let failure = OpenStatus(JackFailure)
    public static let invalidOption = OpenStatus(JackInvalidOption)
    public static let nameNotUnique = OpenStatus(JackNameNotUnique)
    public static let serverStarted = OpenStatus(JackServerStarted)
    public static let serverFailed = OpenStatus(JackServerFailed)
    public static let serverError = OpenStatus(JackServerError)
    public static let noSuchClient = OpenStatus(JackNoSuchClient)
    public static let loadFailure = OpenStatus(JackLoadFailure)
    public static let initFailure = OpenStatus(JackInitFailure)
    public static let sharedMemoryFailure = OpenStatus(JackShmFailure)
    public static let versionError = OpenStatus(JackVersionError)
    public static let backendError = OpenStatus(JackBackendError)
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
        guard server == nil, PipeWireSocket.knock(patienceMilliseconds: 500) == .answered else {
            return "no \(place) is running; start one with jackd"
        }
        return "no jackd is running, and PipeWire is: run this on PipeWire with pw-jack in front of it "
            + "(pw-jack iounit …), or start a server with jackd"
    }
}

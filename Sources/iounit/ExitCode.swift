/// What the command tells the shell; after sysexits.h.
enum ExitCode: Int32 {
    case done = 0
    /// Measured, and outside its limits; or examined, and not fit.
    case outsideLimits = 1
    case usage = 64
    case badInput = 65
    case noInput = 66
    /// A host's name stands for no address.
    case noHost = 68
    /// No JACK server, or it went away for good; or nobody received.
    case noServer = 69
    case cannotCreate = 73
    case inputOutput = 74
    /// A server is not what it was taken for, or does not prove that it is.
    case wrongProtocol = 76
    /// A server wants a token or password, or another one; or this user may not do that.
    case noPermission = 77
    /// The user's settings cannot be understood.
    case configuration = 78
    case interrupted = 130
}

/// Why the command ends, in one sentence for people and one number for the shell.
struct Failure: Error {
    var code: ExitCode
    var message: String

    init(_ code: ExitCode, _ message: String) {
        self.code = code
        self.message = message
    }
}

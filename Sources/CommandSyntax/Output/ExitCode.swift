import AudioReports
import Threads

/// What the command tells the shell; after sysexits.h.
package enum ExitCode: Int32, CaseIterable {
    case done = 0
    case outsideLimits = 1
    case usage = 64
    case badInput = 65
    case noInput = 66
    case noHost = 68
    case noServer = 69
    case cannotCreate = 73
    case inputOutput = 74
    case wrongProtocol = 76
    case noPermission = 77
    case configuration = 78
    /// As a shell sees SIGINT, by which the process ends; or SIGTERM (143) or SIGHUP (129), where that has come.
    case interrupted = 130
    /// As a shell sees SIGPIPE, by which the process ends.
    case outputClosed = 141

    /// How an interrupted run ends, for the notes of a help text.
    package static let interruption =
        "A signal ends the run in order, and then the program: the exit code is 130 (SIGINT), 143 (SIGTERM) or 129 (SIGHUP), unless something went wrong for good."

    /// For the manual, and for who reads this.
    var meaning: String {
        switch self {
        case .done: "done"
        case .outsideLimits: "measured, and outside its limits; or examined, and not fit"
        case .usage: "the command line is wrong"
        case .badInput: "a file holds bad data; what can be read of a sound file is played or converted all the same"
        case .noInput: "a file to be read is not there, or may not be read"
        case .noHost: "a host's name stands for no address"
        case .noServer:
            "there is no JACK server, or it went away for good; or nobody received; or an address is another machine's; or a library is not installed"
        case .cannotCreate: "a file cannot be made, or a port is in use"
        case .inputOutput: "reading or writing of an open file failed, as where the disk is full or broken"
        case .wrongProtocol: "wrong protocol or format of a server or stream, or an invalid certificate"
        case .noPermission: "a token or password is missing or wrong, or permission is denied"
        case .configuration: "the user's settings cannot be understood"
        case .interrupted: Self.interruption
        case .outputClosed: "nobody reads the standard output any more, as with | head: ended by SIGPIPE"
        }
    }
}

/// Why the command ends, in one sentence for people and one number for the shell.
package struct Failure: Error {
    package var code: ExitCode
    package var message: String
    /// The options that it is about, without dashes: the first is the likeliest to be wrong.
    package var options: [String]

    package init(_ code: ExitCode, _ message: String, of options: String...) {
        self.init(code, message, options: options)
    }

    package init(_ code: ExitCode, _ message: String, options: [String]) {
        (self.code, self.message, self.options) = (code, withoutMiddle(message), options)
    }
}

/// An error of a library, which knows how the command ends because of it.
package protocol EndsCommand: Error {
    var failure: Failure { get }
}

/// What the body returns; what it throws ends the command.
///
/// - Parameter options: whose values are to blame where it is wrong usage, the likeliest first. Asked for only then.
package func ending<Value, Problem: EndsCommand>(
    of options: @autoclosure () -> [String], _ body: () throws(Problem) -> Value
) throws(Failure) -> Value {
    do throws(Problem) {
        return try body()
    } catch {
        var failure = error.failure
        if failure.code == .usage { failure.options += options() }
        throw failure
    }
}

extension Failure: EndsCommand {
    package var failure: Failure { self }

    /// Whatever a library of ours throws.
    package static func from(_ error: any Error) -> Failure {
        (error as? any EndsCommand)?.failure ?? Failure(.inputOutput, "\(error)")
    }
}

extension FileError: EndsCommand {
    package var failure: Failure {
        let code: ExitCode =
            switch self {
            case .cannotCreate: .cannotCreate
            case .cannotWrite, .readFailed: .inputOutput
            case .cannotRead: .noInput
            case .malformed: .badInput
            }
        return Failure(code, description)
    }
}

extension ResourceError: EndsCommand {
    package var failure: Failure { Failure(.noServer, description) }
}

extension MissingLibrary: EndsCommand {
    package var failure: Failure { Failure(.noServer, description) }
}

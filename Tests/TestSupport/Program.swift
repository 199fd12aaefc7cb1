import Foundation
import Synchronization

/// Another program that a test runs, as a child process with no descriptors of ours but its three standard ones, and
/// with default signals.
///
/// Every wait for it has a deadline, and what still runs ends with the value.
public final class Program: Sendable {
    public let identifier: pid_t
    /// The exit code, or minus the number of the signal that ended it; `nil` before it was asked for.
    private let result = Mutex<Int32?>(nil)

    /// Starts a program.
    ///
    /// - Parameters:
    ///   - path: of the executable file.
    ///   - environment: what is added to ours.
    ///   - input, output, errors: descriptors that stay the caller's; `nil` for `/dev/null`.
    ///   - isJob: whether it is in a process group of its own, as the jobs of a shell are.
    public init(
        _ path: String, _ arguments: [String], environment: [String: String] = [:], input: CInt? = nil,
        output: CInt? = nil, errors: CInt? = nil, isJob: Bool = false
    ) throws {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        for (number, descriptor) in [input, output, errors].enumerated() {
            let number = CInt(number)
            if let descriptor {
                posix_spawn_file_actions_adddup2(&actions, descriptor, number)
            } else {
                posix_spawn_file_actions_addopen(&actions, number, "/dev/null", number == 0 ? O_RDONLY : O_WRONLY, 0)
            }
        }
        // By the child itself: a list made here would lack what another thread opens meanwhile.
        guard let symbol = dlsym(nil, "posix_spawn_file_actions_addclosefrom_np") else {
            throw DidNotHappen(description: "a C library before glibc 2.34 cannot close descriptors for a program")
        }
        _ = unsafeBitCast(symbol, to: CloseFrom.self)(&actions, 3)

        // The threads that tests run on block signals.
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var signals = sigset_t()
        sigemptyset(&signals)
        posix_spawnattr_setsigmask(&attributes, &signals)
        sigfillset(&signals)
        posix_spawnattr_setsigdefault(&attributes, &signals)
        let group = isJob ? POSIX_SPAWN_SETPGROUP : 0
        posix_spawnattr_setflags(&attributes, Int16(group | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))

        var words = ([path] + arguments).map { strdup($0) } + [nil]
        var variables = Self.variables(environment).map { strdup($0) } + [nil]
        defer { for copy in words + variables { free(copy) } }
        var child: pid_t = 0
        let code = posix_spawn(&child, path, &actions, &attributes, &words, &variables)
        guard code == 0 else {
            throw DidNotHappen(description: "\(path) cannot be run: \(String(cString: strerror(code)))")
        }
        identifier = child
    }

    deinit { end() }

    /// Swift does not see what glibc declares for GNU's programs alone.
    private typealias CloseFrom = @convention(c) (UnsafeMutablePointer<posix_spawn_file_actions_t>, CInt) -> CInt

    /// Our environment, with `changes` to it.
    private static func variables(_ changes: [String: String]) -> [String] {
        var kept: [String] = []
        var next = environ
        while let entry = next.pointee {
            let text = String(cString: entry)
            if changes[String(text.prefix { $0 != "=" })] == nil { kept.append(text) }
            next += 1
        }
        return kept + changes.map { "\($0)=\($1)" }
    }

    /// The exit code, or minus the number of the signal that ended it; `nil` while it runs.
    public var code: Int32? {
        result.withLock { result in
            if let result { return result }
            var status: CInt = 0
            guard waitpid(identifier, &status, WNOHANG) == identifier else { return nil }
            result = status & 0x7f == 0 ? status >> 8 & 0xff : -(status & 0x7f)
            return result
        }
    }

    public var isRunning: Bool { code == nil }

    /// A process that has ended keeps its number until `code` has told so.
    public func send(_ signal: Int32) {
        result.withLock { if $0 == nil { kill(identifier, signal) } }
    }

    /// Waits for the end; returns the code, or `nil` where it still runs after so many seconds times `deadlineFactor`.
    public func wait(seconds: Double) -> Int32? {
        let end = ContinuousClock.now + .seconds(seconds * deadlineFactor)
        while code == nil && ContinuousClock.now < end { usleep(2000) }
        return code
    }

    /// Runs a program to its end; returns what it printed, or `nil` where it failed, cannot be run, or takes longer.
    public static func output(of path: String, _ arguments: [String], seconds: Double = 100) throws -> Data? {
        let folder = try TemporaryFolder()
        _ = FileManager.default.createFile(atPath: folder("out"), contents: nil)
        let out = URL(fileURLWithPath: folder("out"))
        let file = try FileHandle(forWritingTo: out)
        guard let program = try? Program(path, arguments, output: file.fileDescriptor) else { return nil }
        guard program.wait(seconds: seconds) == 0 else { return nil }
        return try Data(contentsOf: out)
    }

    /// Ends it, whatever it does. One that the kernel itself holds up is left behind.
    public func end() {
        guard isRunning else { return }
        send(SIGKILL)
        _ = wait(seconds: 10)
    }
}

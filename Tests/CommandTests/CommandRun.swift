import Foundation
import TestSupport
import Testing

/// A run of the built command, as from a shell.
final class CommandRun {
    private let process = Process()
    private let folder: TemporaryFolder
    private let outputFile: String
    private let errorFile: String

    /// The command beside the test's own binary.
    static var program: String {
        let own = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
        return own.appendingPathComponent("iounit").path
    }

    /// Starts the command, or another program. Its output goes to files, so that none of it can block, but what it says
    /// on the standard error to `errors`, where that is given.
    init(
        _ arguments: [String], program: String = CommandRun.program, environment: [String: String] = [:],
        input: FileHandle = .nullDevice, errors: FileHandle? = nil
    ) throws {
        folder = try TemporaryFolder()
        outputFile = folder("stdout")
        errorFile = folder("stderr")
        for file in [outputFile, errorFile] { _ = FileManager.default.createFile(atPath: file, contents: nil) }
        process.executableURL = URL(fileURLWithPath: program)
        process.arguments = arguments
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        process.standardInput = input
        process.standardOutput = try FileHandle(forWritingTo: URL(fileURLWithPath: outputFile))
        process.standardError = try errors ?? FileHandle(forWritingTo: URL(fileURLWithPath: errorFile))
        try process.run()
    }

    /// A test that fails in the middle leaves nothing running.
    deinit {
        guard process.isRunning else { return }
        send(SIGKILL)
        process.waitUntilExit()
    }

    var identifier: Int32 { process.processIdentifier }
    var isRunning: Bool { process.isRunning }
    var out: String { (try? String(contentsOfFile: outputFile, encoding: .utf8)) ?? "" }
    var err: String { (try? String(contentsOfFile: errorFile, encoding: .utf8)) ?? "" }

    func send(_ signal: Int32) { kill(process.processIdentifier, signal) }

    /// Waits for the end and returns the exit code, or minus the number of the signal that ended the run.
    func end(_ location: SourceLocation = #_sourceLocation) throws -> Int32 {
        let deadline = Date(timeIntervalSinceNow: 60)
        while process.isRunning && Date() < deadline { usleep(5000) }
        if process.isRunning {
            send(SIGKILL)
            Issue.record("the command did not end within a minute; it said: \(err)", sourceLocation: location)
        }
        process.waitUntilExit()
        return process.terminationReason == .exit ? process.terminationStatus : -process.terminationStatus
    }

    /// Waits until something holds of the running command.
    func wait(
        until what: String, _ location: SourceLocation = #_sourceLocation, _ holds: () -> Bool
    ) throws {
        let deadline = Date(timeIntervalSinceNow: 20)
        while !holds() {
            try #require(Date() < deadline, "never seen: \(what); it said: \(err)", sourceLocation: location)
            try #require(process.isRunning, "it ended before: \(what); it said: \(err)", sourceLocation: location)
            usleep(5000)
        }
    }

    /// Runs the command to its end.
    static func run(
        _ arguments: String..., environment: [String: String] = [:]
    ) throws -> (code: Int32, out: String, err: String) {
        let run = try CommandRun(arguments, environment: environment)
        let code = try run.end()
        return (code, run.out, run.err)
    }

    /// Runs another program to its end.
    @discardableResult
    static func tool(_ name: String, _ arguments: String...) throws -> (code: Int32, out: String, err: String) {
        let run = try CommandRun([name] + arguments, program: "/usr/bin/env")
        let code = try run.end()
        return (code, run.out, run.err)
    }
}

/// The one object that `--json` prints.
func object(_ text: String, _ location: SourceLocation = #_sourceLocation) throws -> [String: Any] {
    let value = try JSONSerialization.jsonObject(with: Data(text.utf8))
    return try #require(value as? [String: Any], sourceLocation: location)
}

import Foundation
import TestSupport
import Testing

/// A run of the built command, as from a shell.
package final class CommandRun {
    private let process: Program
    private let folder: TemporaryFolder
    private let words: [String]
    private let isOwn: Bool
    private let outputFile: String
    private let errorFile: String

    /// The command beside the test's own binary.
    package static var program: String {
        let own = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
        return own.appendingPathComponent("iounit").path
    }

    /// Starts the command, or another program. Its output goes to files, so that none of it can block, but to `output` and
    /// `errors` where these are given.
    package init(
        _ arguments: [String], program: String = CommandRun.program, environment: [String: String] = [:],
        input: FileHandle = .nullDevice, output: FileHandle? = nil, errors: FileHandle? = nil
    ) throws {
        words = arguments
        isOwn = program == CommandRun.program
        folder = try TemporaryFolder()
        outputFile = folder("stdout")
        errorFile = folder("stderr")
        for file in [outputFile, errorFile] { _ = FileManager.default.createFile(atPath: file, contents: nil) }
        let output = try output ?? FileHandle(forWritingTo: URL(fileURLWithPath: outputFile))
        // Nobody's settings have a say in a test, but those that it makes.
        var environment = environment
        if environment["XDG_CONFIG_HOME"] == nil { environment["XDG_CONFIG_HOME"] = folder("settings") }
        // Nor has what earlier checks have found.
        if environment["XDG_STATE_HOME"] == nil { environment["XDG_STATE_HOME"] = folder("state") }
        // Nor has a session that the tests themselves are started in: an empty address is none.
        if environment["NSM_URL"] == nil { environment["NSM_URL"] = "" }
        let complaints = try errors ?? FileHandle(forWritingTo: URL(fileURLWithPath: errorFile))
        // The null device of Foundation has no descriptor: the run would get ours.
        let input =
            try input.fileDescriptor >= 0 ? input : FileHandle(forReadingFrom: URL(fileURLWithPath: "/dev/null"))
        // What fails in the middle leaves nothing running: a program ends with its value.
        process = try Program(
            program, arguments, environment: environment, input: input.fileDescriptor, output: output.fileDescriptor,
            errors: complaints.fileDescriptor, isJob: true)
        withExtendedLifetime((input, output, complaints)) {}
    }

    package var identifier: Int32 { process.identifier }
    package var isRunning: Bool { process.isRunning }
    /// Whether the kernel has it stopped, as after Ctrl-Z.
    package var isStopped: Bool {
        let line = try? String(contentsOfFile: "/proc/\(identifier)/stat", encoding: .utf8)
        return line?.split(separator: ")").last?.hasPrefix(" T ") == true
    }
    /// Whether it writes a file in a folder that is to get its name later.
    package func hasDraft(in folder: String) -> Bool {
        let links = "/proc/\(identifier)/fd"
        let files = ((try? FileManager.default.contentsOfDirectory(atPath: links)) ?? [])
            .compactMap { try? FileManager.default.destinationOfSymbolicLink(atPath: "\(links)/\($0)") }
        // The kernel gives one without a name the number of its inode.
        return files.contains { $0.hasPrefix("\(folder)/#") || $0.hasPrefix("\(folder)/.iounit-") }
    }
    package var out: String { Self.text(outputFile) }
    package var err: String { Self.text(errorFile) }

    /// What it writes just now may end within a character.
    private static func text(_ path: String) -> String {
        String(decoding: FileManager.default.contents(atPath: path) ?? Data(), as: UTF8.self)
    }

    /// How much it has written to its output, and the end of that.
    package func lastOutput(_ bytes: Int) -> (bytes: Int, last: Data) {
        guard let file = FileHandle(forReadingAtPath: outputFile), let all = try? file.seekToEnd() else {
            return (0, Data())
        }
        try? file.seek(toOffset: all - min(all, UInt64(bytes)))
        return (Int(all), (try? file.readToEnd()) ?? Data())
    }

    package func send(_ signal: Int32) { process.send(signal) }

    /// Waits for the end and returns the exit code, or minus the number of the signal that ended the run.
    package func end(within seconds: Double = 60, _ location: SourceLocation = #_sourceLocation) throws -> Int32 {
        if let code = process.wait(seconds: seconds) {
            try keepDocument(code)
            return code
        }
        Issue.record(
            "the command did not end within \(seconds * deadlineFactor) s; it said: \(err)", sourceLocation: location)
        process.end()
        return process.code ?? -SIGKILL
    }

    /// Leaves the JSON that it printed to `Tests/Harness/documents.py`, with the exit code and the words.
    private func keepDocument(_ code: Int32) throws {
        guard isOwn, let place = ProcessInfo.processInfo.environment["TEST_DOCUMENTS"],
            let document = FileManager.default.contents(atPath: outputFile), document.first == UInt8(ascii: "{")
        else { return }
        let head = try JSONSerialization.data(withJSONObject: [Int(code)] as [Any] + words)
        let path = URL(fileURLWithPath: place).appendingPathComponent(UUID().uuidString)
        try (head + Data("\n".utf8) + document).write(to: path)
    }

    /// Waits until something holds of the running command.
    ///
    /// - Parameter said: what tells of a wait in vain; the standard error where that is not given.
    package func wait(
        until what: String, within seconds: Double = 20, _ location: SourceLocation = #_sourceLocation,
        said: (() -> String)? = nil, _ holds: () -> Bool
    ) throws {
        let deadline = Date(timeIntervalSinceNow: seconds * deadlineFactor)
        var pause = 5000.0
        while true {
            // Before that is looked at: what it does last holds once it has ended.
            let isRunning = process.isRunning
            if holds() { return }
            try #require(
                Date() < deadline, "never seen: \(what); it said: \(said?() ?? err)", sourceLocation: location)
            try #require(
                isRunning,
                "it ended with \(process.code ?? 0) before: \(what); it said: \(err)\(out.suffix(2000))",
                sourceLocation: location)
            // No event tells of what a file or a graph holds, so that it is looked at again, more seldom as time goes by.
            usleep(UInt32(pause))
            pause = min(40_000, pause * 1.25)
        }
    }

    /// The port at which it listens for OSC, once it says so.
    package func portOfOSC(_ location: SourceLocation = #_sourceLocation) throws -> Int {
        let words = "listening for OSC on 127.0.0.1:"
        // The line is whole when its end is there.
        func line() -> Substring? {
            let text = err
            guard let start = text.firstRange(of: words)?.upperBound else { return nil }
            return text[start...].firstIndex(of: "\n").map { text[start..<$0] }
        }
        try wait(until: words, location) { line() != nil }
        return try #require(line().flatMap { Int($0) }, sourceLocation: location)
    }

    /// Runs the command to its end.
    package static func run(
        _ arguments: String..., environment: [String: String] = [:]
    ) throws -> (code: Int32, out: String, err: String) {
        let run = try CommandRun(arguments, environment: environment)
        let code = try run.end()
        return (code, run.out, run.err)
    }

    /// Runs another program to its end.
    @discardableResult
    package static func tool(_ name: String, _ arguments: String...) throws -> (code: Int32, out: String, err: String) {
        try tool(name, arguments)
    }

    package static func tool(_ name: String, _ arguments: [String]) throws -> (code: Int32, out: String, err: String) {
        let run = try CommandRun([name] + arguments, program: "/usr/bin/env")
        let code = try run.end()
        return (code, run.out, run.err)
    }
}

/// The one object that `--json` prints.
package func object(_ text: String, _ location: SourceLocation = #_sourceLocation) throws -> [String: Any] {
    let value = try JSONSerialization.jsonObject(with: Data(text.utf8))
    return try #require(value as? [String: Any], sourceLocation: location)
}

import Foundation
import TestSupport
import Testing

/// A Python program of the folder `Foreign`, which obeys commands line by line and answers each one.
package final class ForeignProgram {
    private let run: CommandRun
    /// Both ends stay open: the end of the program makes no signal of what is written then.
    private let input = Pipe()

    /// The path of a file of that folder.
    package static func path(_ name: String) -> String {
        URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("Foreign/\(name)").path
    }

    /// Starts it and waits until it is ready. It sees Debian's packages.
    package init(_ name: String, _ arguments: [String]) throws {
        run = try CommandRun(
            [Self.path(name)] + arguments, program: "/usr/bin/python3", input: input.fileHandleForReading)
        try run.wait(until: "\(name) is ready") { answers.first == "ready" }
    }

    /// The whole lines that it has said so far.
    private var answers: [String] {
        run.out.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map(String.init)
    }

    /// Has it do something; returns its answer.
    package func tell(_ line: String, _ location: SourceLocation = #_sourceLocation) throws -> String {
        let before = answers.count
        try input.fileHandleForWriting.write(contentsOf: Data("\(line)\n".utf8))
        try run.wait(until: "the answer to \(line)", location) { answers.count > before }
        return answers[before]
    }

    /// Ends its input, and waits until it has ended.
    package func end(_ location: SourceLocation = #_sourceLocation) throws {
        try input.fileHandleForWriting.close()
        #expect(try run.end(location) == 0, "\(run.err)", sourceLocation: location)
    }
}

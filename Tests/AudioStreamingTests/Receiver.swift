import AudioFiles
import AudioStreaming
import Foundation
import TestSupport

/// A program that receives a stream, and what it printed.
final class Receiver {
    let program: Program
    private let folder: TemporaryFolder
    private let output: FileHandle
    private let errors: FileHandle
    private let input = Pipe()

    init(_ path: String, _ arguments: [String], folder: TemporaryFolder) throws {
        self.folder = folder
        func file(_ kind: String) throws -> FileHandle {
            let name = folder("\(kind)-\(UUID().uuidString)")
            _ = FileManager.default.createFile(atPath: name, contents: nil)
            return try FileHandle(forUpdating: URL(fileURLWithPath: name))
        }
        output = try file("output")
        errors = try file("errors")
        program = try Program(
            path, arguments, input: input.fileHandleForReading.fileDescriptor,
            output: output.fileDescriptor, errors: errors.fileDescriptor)
    }

    /// A script of `Receivers`.
    static func script(_ name: String) -> String {
        "\(#filePath.split(separator: "/").dropLast().map { "/\($0)" }.joined())/Receivers/\(name)"
    }

    /// One that listens at a port, and where.
    static func listening(
        _ arguments: [String] = [], folder: TemporaryFolder
    ) throws -> (receiver: Receiver, target: StreamTarget) {
        let file = folder("port-\(UUID().uuidString)")
        let receiver = try Receiver(
            "/usr/bin/python3", [script("listen.py"), "--port-file", file] + arguments, folder: folder)
        try waitUntil("the receiver listens") { FileManager.default.fileExists(atPath: file) }
        let port = try String(contentsOfFile: file, encoding: .utf8)
        return (receiver, try StreamTarget("tcp://127.0.0.1:\(port)"))
    }

    /// Lets one go on that waits for a line.
    func go() { input.fileHandleForWriting.write(Data("\n".utf8)) }

    /// What it printed, when it has ended.
    func heard() throws -> Data {
        guard let code = program.wait(seconds: 60) else {
            throw DidNotHappen(description: "a receiver goes on")
        }
        guard code == 0 else {
            try errors.seek(toOffset: 0)
            let said = String(decoding: try errors.readToEnd() ?? Data(), as: UTF8.self)
            throw DidNotHappen(description: "a receiver ended with \(code): \(said.suffix(600))")
        }
        try output.seek(toOffset: 0)
        return try output.readToEnd() ?? Data()
    }
}

extension StreamSender {
    /// Sends interleaved frames as they would come from a unit.
    ///
    /// - Parameter speed: how many times as fast as they last; `nil` at once.
    func send(_ samples: [Float], channels: Int, sampleRate: Int = 48000, speed: Double? = nil) throws {
        let size = 441 * channels
        let start = ContinuousClock.now
        for first in stride(from: 0, to: samples.count, by: size) {
            let piece = Array(samples[first..<min(samples.count, first + size)])
            let seconds = Double(first / channels) / Double(sampleRate)
            if let speed {
                let due = start + .seconds(seconds / speed)
                while ContinuousClock.now < due { usleep(500) }
            }
            let buffer = PCMBuffer(StreamFormat(sampleRate: sampleRate, channels: channels), piece)
            try send(buffer, wallNanoseconds: 1_700_000_000_000_000_000 + Int64(seconds * 1e9))
        }
    }
}

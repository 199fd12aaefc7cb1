import Foundation
import Glibc
import Threads

/// Another program on the same server, as a child process whose lines are read.
final class Peer {
    private let process = Process()
    private let lines: LineReader
    /// Open as long as the peer is wanted, where it ends with it.
    private let input = Pipe()
    /// When it was started, on the monotonic clock.
    let startNanoseconds: UInt64

    enum Stream { case output, error }

    init(
        _ program: URL, _ arguments: [String], reading stream: Stream, environment: [String: String] = [:],
        keepsInput: Bool = false
    ) throws {
        let pipe = Pipe()
        process.executableURL = program
        process.arguments = arguments
        // jack_thru would start a server of its own where it finds none.
        process.environment = ProcessInfo.processInfo.environment
            .merging(["JACK_NO_START_SERVER": "1"]) { $1 }.merging(environment) { $1 }
        process.standardInput = keepsInput ? input : FileHandle.nullDevice
        process.standardOutput = stream == .output ? pipe : FileHandle.nullDevice
        process.standardError = stream == .error ? pipe : FileHandle.nullDevice
        lines = LineReader(pipe.fileHandleForReading)
        startNanoseconds = MonotonicClock.nanoseconds()
        try process.run()
    }

    deinit { end() }

    var identifier: pid_t { process.processIdentifier }

    /// The first line with this beginning, without it.
    func line(after beginning: String) throws -> String {
        while let line = try lines.next() {
            if line.hasPrefix(beginning) { return String(line.dropFirst(beginning.count)) }
        }
        throw Breakdown("\(process.executableURL?.lastPathComponent ?? "a peer") ended without saying \"\(beginning)\"")
    }

    /// All lines that are left, when it has ended.
    func rest() throws -> [String] {
        var rest: [String] = []
        while let line = try lines.next() { rest.append(line) }
        process.waitUntilExit()
        return rest
    }

    func end() {
        if process.isRunning { process.terminate() }
        process.waitUntilExit()
    }

    /// Memory of the process in kibibytes; see `Memory.account`.
    func memory(_ field: String) throws -> Int { try Memory.account(field, ofProcess: "\(identifier)") }
}

/// The lines of a pipe. A peer that says nothing for half a minute has broken down.
private final class LineReader {
    private let handle: FileHandle
    private var bytes: [UInt8] = []
    private var start = 0

    init(_ handle: FileHandle) { self.handle = handle }

    func next() throws -> String? {
        while true {
            if let end = bytes[start...].firstIndex(of: UInt8(ascii: "\n")) {
                defer { start = end + 1 }
                return String(decoding: bytes[start..<end], as: UTF8.self)
            }
            bytes.removeFirst(start)
            start = 0
            var waiting = pollfd(fd: handle.fileDescriptor, events: Int16(POLLIN), revents: 0)
            guard poll(&waiting, 1, 30_000) > 0 else { throw Breakdown("a peer has said nothing for 30 s") }
            let more = handle.availableData
            if more.isEmpty { return nil }
            bytes += more
        }
    }
}

import Foundation
import TestSupport
import Threads

@testable import AudioStreaming

/// `Receivers/body.py`: a web server of files as streams.
final class BodyServer {
    let port: Int
    private let program: Program
    private let log: FileHandle
    private let scheme: String

    init(_ folder: TemporaryFolder, certificate: String? = nil) throws {
        let (file, name) = (folder("port-\(UUID().uuidString)"), folder("log-\(UUID().uuidString)"))
        _ = FileManager.default.createFile(atPath: name, contents: nil)
        log = try FileHandle(forUpdating: URL(fileURLWithPath: name))
        let program = try Program(
            "/usr/bin/python3", [Receiver.script("body.py"), file, folder.path] + (certificate.map { [$0] } ?? []),
            output: log.fileDescriptor)
        try waitUntil("the server listens") { FileManager.default.fileExists(atPath: file) || !program.isRunning }
        self.program = program
        port = try Int(String(contentsOfFile: file, encoding: .utf8)) ?? 0
        scheme = certificate == nil ? "http" : "https"
    }

    deinit { program.end() }

    func url(_ path: String, host: String = "127.0.0.1") -> String { "\(scheme)://\(host):\(port)\(path)" }

    /// One that leads to an address.
    func redirection(to address: String) -> String {
        url("/to/\(address.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? "")")
    }

    /// The headers of each request so far.
    func requests() throws -> [[String: String]] { try lines().compactMap { $0["headers"] as? [String: String] } }

    /// How many bodies were taken in whole.
    func sentBodies() throws -> Int { try lines().count { $0["sent"] != nil } }

    private func lines() throws -> [[String: Any]] {
        try log.seek(toOffset: 0)
        return try (log.readToEnd() ?? Data()).split(separator: 10).map { line in
            try JSONSerialization.jsonObject(with: line) as? [String: Any] ?? [:]
        }
    }
}

/// What a source gives up to its end, or to the first failure.
struct Reception {
    private(set) var pieces: [SoundPiece] = []
    private(set) var container: StreamContainer?
    private(set) var failure: StreamError?
    private(set) var isFinished = false

    init(_ origin: StreamOrigin) throws {
        let deadline = MonotonicClock.nanoseconds() + 30_000_000_000
        let source = try origin.open { MonotonicClock.nanoseconds() < deadline }
        var isOver = false
        while MonotonicClock.nanoseconds() < deadline {
            for event in try source.receive(untilNanoseconds: MonotonicClock.nanoseconds() + 20_000_000) {
                switch event {
                case .opening(let opening): pieces.append(.opening(opening))
                case .packet(let packet, _, _): pieces.append(.packet(packet))
                case .container(let form): container = form
                case .failed(let error):
                    failure = error
                    isOver = true
                case .finished:
                    isFinished = true
                    isOver = true
                case .ended: isOver = isOver || !pieces.isEmpty
                case .reached, .time, .leftOut: break
                }
            }
            if isOver { return }
        }
        throw DidNotHappen(description: "the stream ended")
    }
}

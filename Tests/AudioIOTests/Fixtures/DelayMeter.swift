import Foundation
import Jack
import TestSupport
import Testing

/// A run of jack_iodelay, of the package jackd2: it measures the way from its output `jack_delay:out` to its input
/// `jack_delay:in` by the phases of thirteen tones.
final class DelayMeter {
    private let process: Program
    private let file = FileManager.default.temporaryDirectory.appendingPathComponent("iounit-delay-\(UUID())")

    init(on server: Server) throws {
        let path = "/usr/bin/jack_iodelay"
        try #require(FileManager.default.isExecutableFile(atPath: path), "install the package jackd2")
        try Data().write(to: file)
        // It ends with a signal only and never flushes its output: stdbuf makes it write line by line.
        let output = try FileHandle(forWritingTo: file)
        process = try Program(
            "/usr/bin/stdbuf", ["-oL", path],
            environment: ["JACK_DEFAULT_SERVER": server.name, "JACK_NO_START_SERVER": "1"],
            output: output.fileDescriptor)
        withExtendedLifetime(output) {}
        // It has ports before it is active, and can be connected only then. It says something when it measures.
        try waitUntil("jack_iodelay says that it hears nothing yet") { text.contains("Signal below threshold") }
    }

    deinit {
        process.send(SIGTERM)
        _ = process.wait(seconds: 10)
        try? FileManager.default.removeItem(at: file)
    }

    private var text: String { (try? String(contentsOf: file, encoding: .utf8)) ?? "" }

    /// The measurements so far, in frames.
    private var readings: [Double] {
        text.split(separator: "\n").filter { $0.contains("total roundtrip latency") }
            .compactMap { $0.split(separator: " ").first.flatMap { Double($0) } }
    }

    /// Waits until four measurements one after the other agree to a hundredth of a frame, of those made from now on.
    func stableReading() throws -> Double {
        let start = readings.count
        var latest: [Double] = []
        try waitUntil("jack_iodelay reads the same value four times") {
            latest = Array(readings.dropFirst(start).suffix(4))
            return latest.count == 4 && latest.allSatisfy { abs($0 - latest[0]) <= 0.01 }
        }
        return latest[0]
    }
}

import Foundation
import Testing

@testable import iounit

@Suite("The README")
struct ReadmeTests {
    private static let text: String = {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("../../..")
        return (try? String(contentsOf: root.appendingPathComponent("README.md"), encoding: .utf8)) ?? ""
    }()

    @Test func `every command line in it is one that the command understands`() throws {
        // In a job for CI a line is indented, and goes on after a backslash.
        let lines = Self.text.replacing(/\\\n +/, with: "").split(separator: "\n").map { $0.drop { $0 == " " } }
            .filter { $0.hasPrefix("Tools/iounit ") }
        try #require(lines.count >= 15)
        for line in lines {
            var words = line.prefix { $0 != "#" }.split(separator: " ").dropFirst().map(String.init)
            let subcommand = words.removeFirst()
            words.removeAll { $0 == "--help" }
            #expect(throws: Never.self, "\(line)") {
                switch subcommand {
                case "monitor": _ = try MonitorOptions(words)
                case "compare": _ = try CompareOptions(words)
                case "jitter": _ = try JitterOptions(words)
                case "latency": _ = try LatencyOptions(words)
                case "ports": _ = try PortsCommand(words)
                case "doctor": _ = try DoctorCommand(words)
                case "help": try #require(words == ["figures"])
                default: Issue.record("an unknown subcommand: \(line)")
                }
            }
        }
    }

    @Test func `the example for other packages is the one that is built and run`() throws {
        let path = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("../../Dependent/Sources/wire/wire.swift")
        let example = try String(contentsOf: path, encoding: .utf8)
        for line in ["configuration.gainDecibels = -6", "configuration.shape = .tanh", "unit.setDrive(decibels: 12)"] {
            #expect(Self.text.contains(line) && example.contains(line))
        }
    }
}

import Foundation
import Testing

@testable import iounit

@Suite("The README")
struct ReadmeTests {
    private static let text: String = {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("../..")
        return (try? String(contentsOf: root.appendingPathComponent("README.md"), encoding: .utf8)) ?? ""
    }()

    @Test func `every command line in it is one that the command understands`() throws {
        let lines = Self.text.split(separator: "\n").filter { $0.hasPrefix("Tools/iounit ") }
        try #require(lines.count >= 6)
        for line in lines {
            var words = line.prefix { $0 != "#" }.split(separator: " ").dropFirst().map(String.init)
            let subcommand = words.removeFirst()
            words.removeAll { $0 == "--help" }
            switch subcommand {
            case "monitor": #expect(throws: Never.self, "\(line)") { try MonitorOptions(words) }
            case "ports": #expect(throws: Never.self, "\(line)") { try PortsCommand(words) }
            default: Issue.record("an unknown subcommand: \(line)")
            }
        }
    }

    @Test func `the example for other packages is the one that is built and run`() throws {
        let path = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("../Dependent/Sources/wire/wire.swift")
        let example = try String(contentsOf: path, encoding: .utf8)
        for line in ["configuration.gainDecibels = -6", "configuration.shape = .tanh", "unit.setDrive(decibels: 12)"] {
            #expect(Self.text.contains(line) && example.contains(line))
        }
    }
}

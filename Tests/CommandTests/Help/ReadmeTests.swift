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
            // What a shell makes of it: quotes go, and behind a pipe is another program.
            var words = line.prefix { !"#|".contains($0) }.split(separator: " ").dropFirst()
                .map { String($0).replacing("'", with: "") }
            let subcommand = words.removeFirst()
            words.removeAll { $0 == "--help" }
            #expect(throws: Never.self, "\(line)") {
                switch subcommand {
                case "monitor": _ = try MonitorOptions(words)
                case "serve": _ = try MonitorOptions(words, servesPage: true)
                case "compare": _ = try CompareOptions(words)
                case "jitter": _ = try JitterOptions(words)
                case "latency": _ = try LatencyOptions(words)
                case "record": _ = try RecordOptions(words)
                case "send": _ = try SendOptions(words)
                case "receive": _ = try ReceiveOptions(words)
                case "beat": _ = try BeatOptions(words)
                case "picture": _ = try PictureOptions(words)
                case "tune": _ = try TuneOptions(words)
                case "play": _ = try PlayOptions(words)
                case "convert": _ = try ConvertOptions(words)
                case "info": _ = try InfoOptions(words)
                case "ports": _ = try PortsCommand(words)
                case "doctor": _ = try DoctorCommand(words)
                case "preset": _ = try PresetOptions(words)
                case "help": try #require(words == ["figures"])
                default: Issue.record("an unknown subcommand: \(line)")
                }
            }
        }
    }

    @Test func `its newest change is the program's version, and no other version is named as the present one`() throws {
        let changes = try #require(Self.text.components(separatedBy: "\n## Changes\n").dropFirst().first)
        let newest = try #require(changes.split(separator: "\n").first { $0.hasPrefix("### ") })
        #expect(newest == "### \(Command.version) (\(Command.versionDate))")
        #expect(try CommandRun.run("--version").out == "iounit \(Command.version)\n")
        for named in Self.text.matches(of: /iounit[ _@-]v?(\d+\.\d+\.\d+)/) {
            #expect(named.1 == Command.version, "\(named.0)")
        }
    }

    /// The manifest names what is linked.
    @Test func `it names the licence of each library that the program links, and that its own is still to be chosen`()
        throws
    {
        let licences = try #require(Self.text.components(separatedBy: "\n## Licences\n").dropFirst().first)
            .components(separatedBy: "\n## ")[0]
        #expect(licences.contains("still up to its owner"))
        let rows = licences.split(separator: "\n").filter { $0.hasPrefix("| ") }.map { line in
            line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
        }
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("../../..")
        let manifest = try String(contentsOf: root.appendingPathComponent("Package.swift"), encoding: .utf8)
        var packages = Set(manifest.matches(of: /\.apt\(\["([^"]+)"\]\)/).map { String($0.1) })
        packages.formUnion(
            manifest.matches(of: /linkedLibrary\("([^"]+)"\)/).map { "lib\($0.1.replacing("_", with: "-"))-dev" })
        try #require(packages.count >= 14)
        for package in packages {
            #expect(rows.contains { $0.count == 4 && $0[1] == package && !$0[2].isEmpty }, "\(package)")
        }
    }

    /// Line by line and in order, but for what a program needs besides.
    @Test func `each example in Swift is a part of a package that is built and run`() throws {
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("../../Dependent/Sources")
        func lines(_ text: some StringProtocol) -> [String] {
            text.split(separator: "\n").map { line in
                String((line.firstRange(of: "//").map { line[..<$0.lowerBound] } ?? line).trimming(\.isWhitespace))
            }.filter { !$0.isEmpty }
        }
        let programs = try ["take/main.swift", "wire/wire.swift", "nodes/nodes.swift", "own/own.swift"].map { name in
            lines(try String(contentsOf: folder.appendingPathComponent(name), encoding: .utf8))
        }
        let examples = Self.text.split(separator: "```swift\n").dropFirst().map { lines($0.split(separator: "```")[0]) }
        try #require(examples.count >= 4)
        for example in examples {
            let isFound = programs.contains { program in
                var rest = program[...]
                return example.allSatisfy { line in
                    guard let place = rest.firstIndex(of: line) else { return false }
                    rest = rest[(place + 1)...]
                    return true
                }
            }
            #expect(isFound, "no program has this example: \(example.joined(separator: "\n"))")
        }
    }
}

extension StringProtocol {
    fileprivate func trimming(_ isOut: (Character) -> Bool) -> SubSequence {
        let front = drop(while: isOut)
        return front.lastIndex { !isOut($0) }.map { front[...$0] } ?? front.prefix(0)
    }
}

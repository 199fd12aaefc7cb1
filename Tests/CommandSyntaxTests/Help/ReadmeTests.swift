import CommandTestSupport
import Foundation
import Testing

@testable import CommandSyntax
@testable import iounit

@Suite("The README")
struct ReadmeTests {
    private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appendingPathComponent("../../..")
    private static let text = (try? String(contentsOf: root.appendingPathComponent("README.md"), encoding: .utf8)) ?? ""

    @Test func `every command line in it is one that the command understands`() throws {
        let commands = DocumentedCommands(Self.text)
        try #require(commands.commands.count >= 5)
        commands.expectUnderstood()
    }

    @Test func `each file that it leads to is there`() throws {
        let links = Self.text.matches(of: /\]\(([^)#:]+)\)/).map { String($0.1) }
        try #require(links.count >= 20)
        for link in links {
            #expect(FileManager.default.fileExists(atPath: Self.root.appendingPathComponent(link).path), "\(link)")
        }
    }

    @Test func `an article stands under the same heading as in the manual's contents`() throws {
        let contents = try String(
            contentsOf: Self.root.appendingPathComponent("Sources/Manual/Manual.docc/Manual.md"), encoding: .utf8)
        let sections = contents.components(separatedBy: "\n### ").dropFirst()
        try #require(sections.count >= 6)
        for section in sections {
            let heading = section.prefix { $0 != "\n" }.lowercased()
            let row = try #require(
                Self.text.split(separator: "\n").first { $0.hasPrefix("| \(heading) |") }, "\(heading)")
            for link in row.matches(of: /Manual\.docc\/([A-Za-z]+)\.md/) {
                #expect(section.contains("<doc:\(link.1)>"), "\(link.1) under \(heading)")
            }
        }
    }

    @Test func `its newest change is the program's version, and no other version is named as the present one`() throws {
        let changes = try #require(Self.text.components(separatedBy: "\n## Changes\n").dropFirst().first)
        let newest = try #require(changes.split(separator: "\n").first { $0.hasPrefix("### ") })
        #expect(newest == "### \(Release.version) (\(Release.date))")
        #expect(try CommandRun.run("--version").out == "iounit \(Release.version)\n")
        for named in Self.text.matches(of: /iounit[ _@-]v?(\d+\.\d+\.\d+)/) {
            #expect(named.1 == Release.version, "\(named.0)")
        }
    }

    /// The manifest names what is linked.
    @Test func `the manual names the licence of each library that the program links, and that its own is to be chosen`()
        throws
    {
        let licences = try #require(ArticleSource.all.first { $0.name == "licences" }).markdown
        #expect(licences.contains("still up to its owner") && Self.text.contains("still up to its owner"))
        let rows = licences.split(separator: "\n").filter { $0.hasPrefix("| ") }.map { line in
            line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
        }
        let manifest = try String(contentsOf: Self.root.appendingPathComponent("Package.swift"), encoding: .utf8)
        var packages = Set(manifest.matches(of: /\.apt\(\["([^"]+)"\]\)/).map { String($0.1) })
        packages.formUnion(
            manifest.matches(of: /linkedLibrary\("([^"]+)"\)/).map { $0.1.replacing(/-\d+$/, with: "") }
                // The C library's.
                .filter { $0 != "m" }.map { "lib\($0.replacing("_", with: "-"))-dev" })
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
        let programs = try [
            "take/main.swift", "wire/wire.swift", "nodes/nodes.swift", "own/own.swift", "plugins/main.swift",
            "Checked/Checked.swift", "../../LiveCommandsTests/Changing/Click.swift",
            "../../LiveCommandsTests/Changing/Range.swift",
        ].map { name in
            lines(try String(contentsOf: folder.appendingPathComponent(name), encoding: .utf8))
        }
        let texts = [Self.text] + ArticleSource.all.map(\.markdown)
        let examples = texts.flatMap { text in
            text.split(separator: "```swift\n").dropFirst().map { lines($0.split(separator: "```")[0]) }
        }
        try #require(examples.count >= 6)
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

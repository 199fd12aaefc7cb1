import AudioDSP
import Foundation
import Testing

@testable import LiveRuns

@Suite("What a page is told of a run") struct LiveSceneTests {
    @Test func `a fader has the step of a whole number, and none of any other`() throws {
        func number(_ name: String, step: Double?) -> Control {
            Control(.number(name, name, 1...12, step: step)) {
                .number(6)
            } set: { _ in
            }
        }
        let table = ControlTable([number("stages", step: 1), number("depth", step: nil)])
        let data = try JSONEncoder().encode(LiveScene.Controls(table, isOpen: true))
        let controls = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
        let faders = try #require(controls["faders"] as? [[String: Any]])
        #expect(faders.map { $0["name"] as? String } == ["stages", "depth"])
        #expect(faders[0]["step"] as? Double == 1 && faders[1]["step"] == nil)
    }

    @Test func `the page's equaliser has the kinds and the ranges of a band`() throws {
        let path = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("../../../Sources/CPage/Page/equaliser.js")
        let script = try String(contentsOf: path, encoding: .utf8)
        let (gain, q) = (EqualiserBand.decibelsRange, EqualiserBand.qRange)
        #expect(gain.lowerBound == -gain.upperBound)
        let limits =
            "reach = \(shortest(gain.upperBound)), lowestQ = \(shortest(q.lowerBound)), "
            + "highestQ = \(shortest(q.upperBound));"
        #expect(script.contains(limits), "\(limits)")
        let kinds = EqualiserBand.Kind.allCases
        let withGain = kinds.filter(\.hasGain).map { "\"\($0.name)\"" }.joined(separator: ", ")
        #expect(script.contains("[\(withGain)].includes(kind)"), "\(withGain)")
        let titles = try #require(script.firstMatch(of: /const titles = \{ (.*) \};/)).1.split(separator: ", ")
        #expect(titles.map { $0.prefix { $0 != ":" } } == kinds.map { Substring($0.name) })
    }
}

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
}

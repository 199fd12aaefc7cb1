import AudioDSP
import AudioRealtime
import AudioStreaming
import Testing

@testable import LiveRuns

@Suite("What pages ask for") struct PageWishesTests {
    private let known = Dictionary(
        uniqueKeysWithValues: (ShaperSetting.fields.map(\.info) + [.action("undo", "take the last change back")]).map {
            ($0.name, $0)
        })

    private func wish(_ name: String, _ value: String) throws -> PageControl {
        try PageControl(text: #"{"set":"\#(name)","value":\#(value)}"#).checked(known)
    }

    @Test func `a control that moves on leaves the others' wishes and all actions where they are`() throws {
        var wishes = PageWishes()
        try wishes.add(wish("mute", "true"))
        for step in 0..<1000 { try wishes.add(wish("gain", "\(-Double(step) / 100)")) }
        try wishes.add(wish("undo", "true"))
        try wishes.add(wish("gain", "3"))
        try wishes.add(wish("undo", "true"))
        let taken = wishes.take()
        #expect(taken.map(\.name) == ["mute", "gain", "undo", "gain", "undo"])
        #expect(taken[1].value == .number(-9.99) && taken[3].value == .number(3))
        #expect(wishes.take().isEmpty)
    }

    @Test func `what is over is refused, and the rest is done`() throws {
        var wishes = PageWishes()
        for _ in 0..<PageWishes.limit { try wishes.add(wish("undo", "true")) }
        let refusal = #expect(throws: StreamError.self) { try wishes.add(wish("mute", "true")) }
        #expect(refusal?.reason.contains("mute was not done") == true)
        #expect(wishes.take().count == PageWishes.limit)
        try wishes.add(wish("mute", "true"))
    }
}

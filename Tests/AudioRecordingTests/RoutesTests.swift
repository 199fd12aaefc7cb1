import AudioRecording
import Testing

@Suite struct RoutesTests {
    func text(_ channels: Int, _ inputs: Int) -> String {
        routes(channels: channels, inputs: inputs).map { "\($0.channel)→\($0.input)" }.joined(separator: " ")
    }

    @Test func oneChannelGoesToEveryInput() {
        #expect(text(1, 1) == "0→0")
        #expect(text(1, 3) == "0→0 0→1 0→2")
    }

    @Test func moreChannelsThanInputsBeginAgainWithTheFirst() {
        #expect(text(2, 1) == "0→0 1→0")
        #expect(text(5, 2) == "0→0 1→1 2→0 3→1 4→0")
    }

    @Test func fewerChannelsThanInputsLeaveTheRestSilent() {
        #expect(text(2, 2) == "0→0 1→1")
        #expect(text(2, 4) == "0→0 1→1")
    }

    @Test func withoutInputsThereIsNothingToConnect() {
        #expect(text(1, 0) == "")
        #expect(text(3, 0) == "")
    }
}

import AudioRealtime
import Testing

@testable import CommandSyntax
@testable import LiveRuns

@Suite("What MIDI controllers send")
struct MIDIDecoderTests {
    /// What a row of messages says, as text: source and value of each reading.
    private func read(_ messages: [(UInt8, UInt8, UInt8)]) -> [String] {
        var decoder = MIDIDecoder()
        return messages.flatMap { decoder.read(MIDIMessage($0.0, $0.1, $0.2)) }.map { "\($0.source) \($0.value)" }
    }

    @Test func `controllers, notes and bends have their channel`() {
        #expect(read([(0xb0, 70, 100)]) == ["1/cc70 100"])
        #expect(
            read([(0x9f, 60, 64), (0x9f, 60, 0), (0x8f, 60, 12)]) == ["16/note60 64", "16/note60 0", "16/note60 0"])
        #expect(read([(0xe2, 0x7f, 0x7f), (0xe2, 0, 0x40)]) == ["3/bend 16383", "3/bend 8192"])
        #expect(read([(0xc0, 1, 0), (0xd0, 1, 0), (0xa0, 1, 2)]).isEmpty)
    }

    @Test func `two controllers make one of fourteen bits, whose upper half stands for a lower one of 0`() {
        #expect(
            read([(0xb0, 7, 100), (0xb0, 39, 5)]) == ["1/cc7 100", "1/cc7+39 12800", "1/cc39 5", "1/cc7+39 12805"])
        // Of another channel it is another one.
        #expect(read([(0xb0, 7, 100), (0xb1, 39, 5)]).last == "2/cc7+39 5")
    }

    @Test func `a non-registered parameter needs both halves of its number, and a registered one ends it`() {
        let choice: [(UInt8, UInt8, UInt8)] = [(0xb0, 99, 2), (0xb0, 98, 2)]
        func parameters(_ messages: [(UInt8, UInt8, UInt8)]) -> [String] {
            read(messages).filter { $0.contains("nrpn") }
        }
        #expect(parameters(choice + [(0xb0, 6, 1), (0xb0, 38, 3)]) == ["1/nrpn258 129", "1/nrpn258 131"])
        #expect(
            parameters(choice + [(0xb0, 6, 0), (0xb0, 6, 127)]) == ["1/nrpn258 0", "1/nrpn258 16383"], "no lower half")
        #expect(
            parameters(choice + [(0xb0, 6, 1), (0xb0, 38, 3), (0xb0, 6, 2)]).last == "1/nrpn258 256",
            "a lower half follows")
        #expect(parameters([(0xb0, 99, 2), (0xb0, 6, 1)]).isEmpty)
        #expect(parameters(choice + [(0xb0, 101, 0), (0xb0, 6, 1)]).isEmpty)
        #expect(parameters([(0xb0, 99, 127), (0xb0, 98, 127), (0xb0, 6, 1)]).isEmpty, "nothing is chosen")
    }

    @Test func `encoders of three kinds say how far they were turned`() {
        #expect([1, 3, 127, 125].map { MIDIMode.twosComplement.steps($0) } == [1, 3, -1, -3])
        #expect([65, 67, 63, 61, 64].map { MIDIMode.offset.steps($0) } == [1, 3, -1, -3, 0])
        #expect([1, 3, 65, 67, 64].map { MIDIMode.signMagnitude.steps($0) } == [1, 3, -1, -3, 0])
        #expect(MIDIMode.absolute.steps(1) == nil && MIDIMode.toggle.steps(1) == nil)
    }

    @Test(arguments: ["1/cc0", "16/cc127", "1/cc7+39", "2/nrpn16382", "3/note60", "4/bend"])
    func `a source is read as it is written, and what it is told says where it is`(text: String) throws {
        let source = try #require(MIDISource(text))
        #expect("\(source)" == text)
        for value in [0, 1, source.top / 2, source.top] {
            var decoder = MIDIDecoder()
            let readings = source.messages(at: Double(value) / Double(source.top)).flatMap { decoder.read($0) }
            #expect(readings.last { $0.source == source }?.value == value, "\(value)")
        }
    }

    @Test(arguments: [
        "", "1", "/cc1", "0/cc1", "17/cc1", "1/cc", "1/cc128", "1/cc-1", "1/cc01", "1/cc+7", "1/cc7+40", "1/cc32+64",
        "1/cc7+39+71", "1/nrpn16383", "1/note", "1/bend1", "1/cc7/", "01/cc7", "1/CC7",
    ])
    func `what is no source is none`(text: String) { #expect(MIDISource(text) == nil) }

    // Learning.

    /// What is learnt of messages 10 ms apart, once they rest.
    private func learn(_ messages: [(UInt8, UInt8, UInt8)]) -> String? {
        var (decoder, learner) = (MIDIDecoder(), MIDILearner())
        var now: UInt64 = 1_000_000_000
        for message in messages {
            #expect(learner.result(atNanoseconds: now) == nil)
            now += 10_000_000
            learner.take(decoder.read(MIDIMessage(message.0, message.1, message.2)), atNanoseconds: now)
        }
        if messages.count > 1 { now -= 600_000_000 }
        return learner.result(atNanoseconds: now + 1_200_000_000).map { "\($0.source) \($0.mode)" }
    }

    @Test func `a fader, a button, a key and a bend are learnt as what they are`() {
        #expect(learn([]) == nil)
        #expect(learn((10..<30).map { (0xb0, 7, $0) }) == "1/cc7 absolute")
        #expect(learn([(0xb0, 7, 64)]) == "1/cc7 absolute")
        #expect(learn((0..<20).flatMap { [(0xb0, 7, 64), (0xb0, 39, $0)] }) == "1/cc7+39 absolute")
        for pressed: UInt8 in [127, 100, 1] {
            #expect(learn([(0xb3, 41, pressed), (0xb3, 41, 0)]) == "4/cc41 toggle")
        }
        #expect(learn([(0xb3, 41, 1), (0xb3, 41, 0), (0xb3, 41, 2)]) == "4/cc41 absolute", "a fader near its end")
        #expect(learn([(0x90, 36, 100), (0x80, 36, 0)]) == "1/note36 absolute")
        #expect(learn((0..<20).map { (0xe0, 0, $0) }) == "1/bend absolute")
        let parameter: [(UInt8, UInt8, UInt8)] = [(0xb0, 99, 1), (0xb0, 98, 3), (0xb0, 6, 9), (0xb0, 38, 1)]
        #expect(learn(parameter) == "1/nrpn131 absolute")
    }

    @Test func `a button may be held for a while`() {
        var (decoder, learner) = (MIDIDecoder(), MIDILearner())
        learner.take(decoder.read(MIDIMessage(0xb0, 20, 127)), atNanoseconds: 0)
        #expect(learner.result(atNanoseconds: 900_000_000) == nil)
        learner.take(decoder.read(MIDIMessage(0xb0, 20, 0)), atNanoseconds: 900_000_000)
        #expect(learner.result(atNanoseconds: 1_500_000_000)?.mode == .toggle)
    }

    @Test func `an encoder is learnt by the steps that it sends`() {
        func turned(_ values: [UInt8]) -> String? { learn(values.map { (0xb0, 16, $0) }) }
        #expect(turned([1, 1, 2, 1, 1, 127, 127, 127]) == "1/cc16 twosComplement")
        #expect(turned([65, 65, 66, 65, 63, 63, 63]) == "1/cc16 offset")
        #expect(turned([1, 1, 1, 65, 65, 65]) == "1/cc16 signMagnitude")
        #expect(turned([1, 2, 3, 4, 5, 6]) == "1/cc16 absolute", "a knob at the lower end of its way")
    }

    @Test func `what goes on is learnt all the same, and a second controller that trembles is not`() {
        var (decoder, learner) = (MIDIDecoder(), MIDILearner())
        for number in 0..<60 {
            learner.take(decoder.read(MIDIMessage(0xb0, number % 10 == 0 ? 3 : 9, UInt8(number))), atNanoseconds: 5)
        }
        #expect(learner.result(atNanoseconds: 5)?.source == MIDISource("1/cc9"))
    }

    // The file.

    @Test func `mappings are read from lines, and written as such`() throws {
        let text = "# mine\n\ngain = 1/cc7\neq/1/hertz=2/cc16 offset\n  mute =  1/note60\t\n"
        let mappings = try MIDIMapText.parse(text, path: "midi")
        #expect(mappings.map(\.description) == ["gain = 1/cc7", "eq/1/hertz = 2/cc16 offset", "mute = 1/note60"])
        let learnt = MIDIMapping(control: "drive", source: try #require(MIDISource("1/cc7")))
        #expect(
            MIDIMapText.replacing(text, with: learnt)
                == "# mine\n\neq/1/hertz=2/cc16 offset\n  mute =  1/note60\t\ndrive = 1/cc7\n")
        #expect(MIDIMapText.removing("gain = 1/cc7\nwhat\n", control: "gain") == "what\n")
        #expect(MIDIMapText.replacing("", with: learnt) == "drive = 1/cc7\n")
    }

    @Test(arguments: [
        ("gain", "midi:1: a line is"), ("\ngain = 1/cc7 offset x", "midi:2: a line is"), ("= 1/cc7", "a line is"),
        ("gain = 7", "a source is"), ("gain = 1/cc7 relative", "a mode is one of absolute, toggle"),
        ("gain = 1/note7 offset", "seven bits"),
    ])
    func `a line that says nothing is refused with its number`(text: String, reason: String) {
        do throws(Failure) {
            _ = try MIDIMapText.parse(text, path: "midi")
            Issue.record("it was read")
        } catch {
            #expect(error.message.contains(reason) && error.code == .configuration)
        }
    }
}

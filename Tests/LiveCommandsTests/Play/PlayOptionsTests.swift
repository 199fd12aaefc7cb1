import AudioIO
import Testing

@testable import CommandSyntax
@testable import LiveCommands
@testable import LiveRuns
@testable import TerminalPages

@Suite("The words of iounit play") struct PlayOptionsTests {
    private func refused(_ says: String, _ words: String..., at location: SourceLocation = #_sourceLocation) {
        let failure = #expect(throws: Failure.self, sourceLocation: location) { try PlayOptions(words) }
        #expect(failure?.code == .usage, sourceLocation: location)
        #expect(failure?.message.contains(says) == true, "\(failure?.message ?? "")", sourceLocation: location)
    }

    @Test func `are files, times with units, and what is done with the list`() throws {
        let options = try PlayOptions([
            "a.wav", "--start", "1:30", "b.flac", "--end", "2min", "--gain", "-3dB", "--loop", "--shuffle", "--json",
            "--", "--odd.wav",
        ])
        #expect(options.paths == ["a.wav", "b.flac", "--odd.wav"])
        #expect(options.start == 90 && options.end == 120 && options.unit.gainDecibels == -3)
        #expect(options.loops && options.shuffles && options.unit.isJSON && !options.readsInput)
        #expect(options.unit.engine.inputChannels == 0 && options.unit.engine.inputs == .none)
        #expect(
            options.unit.engine.outputs == .physical && options.channels == nil
                && options.unit.reconnect.consent == .never)
        let other = try PlayOptions(["-", "--no-connect", "--channels", "6", "--name", "deck", "--reconnect", "auto"])
        #expect(other.readsInput && other.unit.engine.outputs == .none && other.channels == 6)
        #expect(other.unit.engine.clientName == "deck" && other.unit.reconnect.consent == .automatic)
        #expect(other.start == 0 && other.end == nil && other.unit.gainDecibels == 0)
        let routed = try PlayOptions(["a.wav", "--output", "usb", "--output", "system", "--follow-routes"])
        #expect(routed.unit.engine.outputs == .firstOf(["usb", "system"]) && routed.unit.engine.followsRoutes)
    }

    @Test func `are refused where they contradict each other or name nothing`() {
        refused("needs a file", "--loop")
        refused("without a name", "")
        refused("once only", "-", "a.wav", "-")
        refused("the standard input is played once", "-", "--loop")
        refused("--loop and --transport exclude each other: a transport's timeline", "a.wav", "--loop", "--transport")
        refused("--shuffle and --transport exclude each other", "a.wav", "--shuffle", "--transport")
        refused("cannot go back with the transport", "-", "--transport")
        refused("later than --start", "a.wav", "--start", "3", "--end", "3")
        refused("takes a time", "a.wav", "--start", "-1")
        refused("takes decibels", "a.wav", "--gain", "61")
        refused("exclude each other", "a.wav", "--output", "x", "--no-connect")
        refused("exclude each other", "a.wav", "--follow-routes", "--no-connect")
        refused("needs a pattern", "a.wav", "--output", "")
        refused("--channels takes", "a.wav", "--channels", "257")
        refused("a private server ends with iounit", "a.wav", "--dummy", "--reconnect", "auto")
        refused("there is no option --drive", "a.wav", "--drive", "3")
    }
}

import AudioStreaming
import CommandSyntax

/// What can change a run from outside its terminal: messages of OSC, MIDI controllers.
struct RemoteOptions {
    static let group: (heading: String, options: [Option]) = (
        "Control", [OSCOptions.option] + MIDIOptions.options(learning: "iounit monitor --midi learns")
    )

    /// Where messages of OSC are waited for; `nil` where none are.
    let osc: PageAddress?
    /// `nil` where there are none.
    let midi: MIDIOptions?

    init(_ arguments: Arguments) throws(Failure) {
        osc = try OSCOptions.address(arguments)
        midi = try MIDIOptions(arguments)
    }
}

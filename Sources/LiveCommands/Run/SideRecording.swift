import AudioIO
import AudioRecording
import CommandSyntax

/// `--record` of a subcommand whose own work is another: what goes to its outputs, in a file.
struct SideRecording {
    static let options = [
        Option("record", "FILE", "record what goes to the outputs, as iounit record does"),
        Option(flag: "force", "replace FILE of --record if it exists"),
    ]

    private let path: String
    private let replaces: Bool

    /// - Returns: `nil` where nothing is to be recorded.
    init?(_ arguments: Arguments) throws(Failure) {
        replaces = arguments.has("force")
        try arguments.require(!replaces || arguments.has("record"), "--force is for the file of --record")
        guard let path = arguments.value("record") else { return nil }
        try arguments.require(!path.isEmpty && path != "-", "--record needs the name of a file")
        self.path = path
    }

    /// Begins with the first block. Last of all that can fail: `--force` replaces a file here.
    func begin(_ engine: Engine) throws -> Recorder {
        try engine.record(engine.output, to: path, force: replaces)
    }
}

import AudioFiles
import AudioReports
import CommandSyntax
import TerminalPages
import Threads

/// `iounit picture`: draws a sound file.
struct PictureCommand {
    let options: PictureOptions

    func run() throws -> ExitCode {
        try OptionalLibrary.libpng.load()
        let work = try PictureWork(options)
        // From here on a signal must not leave half a file.
        let signals = try Signals()
        // Found out before hours of sound are read.
        let file = try OutputFile(options.output, replacing: options.replaces)
        guard let drawn = try work.drawn(unless: signals) else {
            file.discard()
            return .interrupted
        }
        for flaw in drawn.flaws { StandardError.complain("\(shown(options.path)): \(flaw)") }
        try file.write(drawn.bytes)
        try file.finish()
        // To print may take for ever, where nobody reads.
        guard !signals.release() else { return .interrupted }
        try StandardOutput.print("\(shown(options.output)): \(drawn.description)")
        return drawn.flaws.isEmpty ? .done : .badInput
    }
}

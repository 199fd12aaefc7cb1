import AudioPictures
import AudioReports
import CommandSyntax
import TerminalPages
import Threads

struct PictureOptions: SubcommandOptions {
    static let syntax = Syntax(
        name: "picture", summary: "waveform and spectrogram of a sound file or a recording, as SVG, PNG or a page",
        groups: [
            optionGroup(
                "Picture",
                place, waveform.excludes([spectrogram.name], "without either there are both"), spectrogram, size.option,
                dark,
                .force("replace a file that exists"))
        ],
        notes: """
            FILE may be -, the standard input. The waveform has the lowest and highest samples of all channels, clipped ones in red;
            the spectrogram is that of their mean, 20 Hz to 20 kHz, -100 to 0 dB. Where sound is missing in a recording, as
            FILE.json lists it, both are marked in red. A page (x.html) has the gaps as a table too, and needs no other file.
            It needs no server.
            """,
        operands: "FILE")

    private static let place = Option(
        "output", short: "o", "PATH", "where it goes: x.svg, x.png or x.html (the file's name with .svg)")
    private static let waveform = Option(flag: "waveform", "the waveform alone")
    private static let spectrogram = Option(flag: "spectrogram", "the spectrogram alone")
    private static let dark = Option(flag: "dark", "a PNG on dark ground; the others follow their reader's")
    private static let sizes = OverviewDrawing.sizes
    private static let range = "\(sizes.lowerBound) to \(sizes.upperBound)"
    private static let usualSize = (width: 1200, height: 600)
    private static let size = TypedOption<(width: Int, height: Int)>(
        Option(
            "size", "WxH",
            "in pixels, \(range) each (\(usualSize.width)x\(usualSize.height)); a page has its own")
    ) { text, arguments throws(Failure) in
        guard let text else { return usualSize }
        let parts = text.split(separator: "x", omittingEmptySubsequences: false).map { Int($0) }
        guard parts.count == 2, let width = parts[0], let height = parts[1], sizes.contains(width),
            sizes.contains(height)
        else {
            throw arguments.usage(
                "--size takes a width and a height in pixels, \(range), as in 1200x600", of: "size")
        }
        return (width, height)
    }

    enum Kind: String, CaseIterable {
        case svg, png, html
    }

    let path: String
    let kind: Kind
    let output: String
    let hasWaveform: Bool
    let hasSpectrogram: Bool
    let size: (width: Int, height: Int)
    let isDark: Bool
    let replaces: Bool

    init(_ arguments: Arguments) throws(Failure) {
        try arguments.require(
            arguments.operands.count == 1,
            "picture draws one file, and --output says where to: iounit picture FILE --output PICTURE")
        path = arguments.operands[0]
        hasWaveform = !arguments.has(Self.spectrogram)
        hasSpectrogram = !arguments.has(Self.waveform)
        isDark = arguments.has(Self.dark)
        replaces = arguments.replaces
        size = try arguments.value(of: Self.size)
        if let named = arguments.word(of: Self.place) {
            output = named
        } else {
            try arguments.require(
                path != "-", "the standard input has no name; say where the picture goes with --output", of: "output")
            output = FilePath(path).withoutExtension + ".svg"
        }
        let suffix = output.lowercased()
        guard let named = Kind.allCases.first(where: { suffix.hasSuffix(".\($0.rawValue)") }) else {
            throw arguments.usage(
                "--output names a picture that ends in .svg or .png, or a page that ends in .html", of: "output")
        }
        kind = named
        try arguments.permit(
            Self.dark, if: kind == .png, "is for PNG; an SVG and a page follow their reader's ground")
        try arguments.permit(
            Self.size.option, if: kind != .html, "is for SVG and PNG; a page has pictures for wide and narrow screens")
    }

    func run() throws -> ExitCode {
        try OptionalLibrary.libpng.load()
        let work = try PictureWork(self)
        // From here on a signal must not leave half a file.
        let signals = try Signals()
        // Found out before hours of sound are read.
        let file = try OutputFile(output, replacing: replaces)
        // The draft goes with its file.
        guard let drawn = try work.drawn(unless: signals) else { return .interrupted }
        for flaw in drawn.flaws { StandardError.complain("\(shown(path)): \(flaw)") }
        try file.write(drawn.bytes)
        try file.finish()
        // Printing waits as long as nobody reads, and a signal ends that.
        guard !signals.release() else { return .interrupted }
        try StandardOutput.print("\(shown(output)): \(drawn.description)")
        return drawn.flaws.isEmpty ? .done : .badInput
    }
}

import AudioFiles
import AudioPictures
import AudioReports
import CommandSyntax
import TerminalPages
import Threads

/// `iounit picture`: draws a sound file.
struct PictureCommand {
    let options: PictureOptions

    func run() throws -> ExitCode {
        try OptionalLibrary.libpng.load()
        let reader = try SoundFileReader(operand: options.path)
        // Found out before hours of sound are read.
        let file = try OutputFile(options.output, replacing: options.replaces)
        let picture = try FilePicture(
            reader, path: options.path, sizes: sizes, hasWaveform: options.hasWaveform,
            hasSpectrogram: options.hasSpectrogram)
        for flaw in reader.flaws { StandardError.complain("\(shown(options.path)): \(flaw)") }
        try file.write(drawn(picture))
        try file.finish()
        let drawing = OverviewDrawing(picture.figures(0), width: 1, height: 1)
        try StandardOutput.print("\(shown(options.output)): \(drawing.description)")
        return reader.flaws.isEmpty ? .done : .badInput
    }

    private var sizes: [(width: Int, rows: Int)] {
        guard options.kind != .html else { return FilePicture.pageSizes(hasWaveform: options.hasWaveform) }
        let (width, height) = options.size
        return [(width, OverviewDrawing.rows(height: height, hasWaveform: options.hasWaveform))]
    }

    private func drawn(_ picture: FilePicture) throws(Failure) -> [UInt8] {
        let (width, height) = options.size
        let drawing = OverviewDrawing(picture.figures(0), width: width, height: height)
        switch options.kind {
        case .html: return Array(picture.page().text.utf8)
        case .svg:
            var surface = VectorSurface(width: width, height: height, encode: PNGImage.address)
            drawing.draw(on: &surface)
            return Array(surface.svg(says: drawing.description).utf8)
        case .png:
            var surface = RasterSurface(width: width, height: height, isDark: options.isDark)
            drawing.draw(on: &surface)
            guard let data = PNGImage.data(surface.pixels, width: width, height: height) else {
                throw Failure(.inputOutput, "there is no memory for a picture of \(width) x \(height) pixels")
            }
            return data
        }
    }
}

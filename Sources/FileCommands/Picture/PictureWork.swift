import AudioFiles
import AudioPictures
import CPNG
import CommandSyntax
import FoundationEssentials
import Synchronization
import Threads

/// Reads a sound file and draws its picture, on a thread of its own: a pipe may never end, and a signal must end the program all
/// the same.
final class PictureWork: Sendable {
    struct Drawn: Sendable {
        /// Of the file that is to be written.
        var bytes: [UInt8]
        /// What is to be seen in it, in words.
        var description: String
        var flaws: [SoundFileFlaw]
    }

    private let options: PictureOptions
    /// The thread's alone from the beginning on.
    private let reader: Mutex<SoundFileReader>

    /// - Throws: what cannot be read.
    init(_ options: PictureOptions) throws {
        self.options = options
        reader = Mutex(try SoundFileReader(operand: options.path))
    }

    /// Begins, and waits until it is drawn.
    ///
    /// - Returns: `nil` where a signal has asked the program to end. The thread ends with the program then.
    /// - Throws: what cannot be read or drawn.
    func drawn(unless signals: Signals) throws -> Drawn? {
        try signals.value("iounit-picture") { [self] in try reader.withLock { try draw($0) } }
    }

    private func draw(_ reader: SoundFileReader) throws -> Drawn {
        let picture = try FilePicture(
            reader, path: options.path, sizes: sizes, hasWaveform: options.hasWaveform,
            hasSpectrogram: options.hasSpectrogram)
        let drawing = OverviewDrawing(picture.figures(0), width: 1, height: 1)
        return Drawn(bytes: try bytes(picture), description: drawing.description, flaws: reader.flaws)
    }

    private var sizes: [(width: Int, rows: Int)] {
        let isPage = options.kind == .html
        let sizes = isPage ? [SoundPage.sizes.wide, SoundPage.sizes.narrow] : [options.size]
        return sizes.map { width, height in
            (width, OverviewDrawing.rows(height: height, hasWaveform: options.hasWaveform, hasTitle: !isPage))
        }
    }

    private func bytes(_ picture: FilePicture) throws(Failure) -> [UInt8] {
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

/// Pixels as a PNG file, by libpng.
enum PNGImage {
    /// - Parameter pixels: rows of red, green and blue, 8 bits each, from the top.
    /// - Returns: `nil` where there is no memory for it, or no libpng, of which the subcommand tells before.
    static func data(_ pixels: [UInt8], width: Int, height: Int) -> [UInt8]? {
        guard (try? OptionalLibrary.libpng.load()) != nil else { return nil }
        precondition(pixels.count == 3 * width * height && width > 0 && height > 0)
        var count = 0
        // SAFETY: the array has as many bytes as both lengths say, which was checked.
        guard unsafe iounit_png_write(nil, &count, pixels, UInt32(width), UInt32(height)) != 0 else { return nil }
        var bytes = [UInt8](repeating: 0, count: count)
        // SAFETY: there are as many bytes as it asked for.
        guard unsafe iounit_png_write(&bytes, &count, pixels, UInt32(width), UInt32(height)) != 0 else { return nil }
        return Array(bytes.prefix(count))
    }

    /// An address that holds the image; an empty one where there is no memory for it.
    static func address(_ pixels: [UInt8], width: Int, height: Int) -> String {
        "data:image/png;base64,\(Data(data(pixels, width: width, height: height) ?? []).base64EncodedString())"
    }
}

import CPNG
import FoundationEssentials
import Threads

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

/// What an encoder of MPEG layer III writes into a frame of its own before the sound: how long that is.
struct XingHeader {
    /// From that frame on; `nil` where it does not know.
    let bytes: Int?

    /// Where its name is: behind the side information, which is as long as version and channels make it.
    private static let places = [13, 21, 36]

    /// Reads that of a file that begins at a byte, behind the tag; `nil` where there is none.
    init?(_ file: some FileBytes, at byte: Int) {
        let frame = file.bytes(52, at: byte)
        guard frame.count == 52, frame[0] == 0xff, frame[1] & 0xe6 == 0xe2,
            let place = Self.places.first(where: {
                ["Xing", "Info"].contains(String(decoding: frame[$0..<$0 + 4], as: UTF8.self))
            })
        else { return nil }
        let flags = frame.bigEndian(place + 4, 4)
        // The number of frames, where there is one, comes before that of bytes.
        let promised = flags & 2 == 0 ? 0 : frame.bigEndian(place + (flags & 1 == 0 ? 8 : 12), 4)
        bytes = promised > 0 ? promised : nil
    }
}

/// Finds out that the end of an Ogg or MP3 file is missing: libsndfile reads it up to there, and says nothing.
enum LostEnd {
    private static let pageHeadBytes = 27
    private static let longestPageBytes = pageHeadBytes + 255 + 255 * 255
    /// Where the name of the Xing header is in the first frame: behind the side information, which is as long as version and
    /// channels make it.
    private static let xingPlaces = [13, 21, 36]

    /// `nil` where nothing is missing, or nobody can know: an MP3 file without a Xing header promises nothing.
    static func flaw(of file: some FileBytes) -> SoundFileFlaw? {
        if file.bytes(4, at: 0) == Array("OggS".utf8) { return hasLastPage(file) ? nil : .missingEnd }
        let start = file.tagBytes
        let present = file.length - start
        guard let promised = promisedBytes(file.bytes(52, at: start)), promised > present else { return nil }
        return .missingBytes(promised: promised, present: present)
    }

    /// What the Xing header in the first frame of MPEG layer III says, from that frame on.
    private static func promisedBytes(_ frame: [UInt8]) -> Int? {
        guard frame.count == 52, frame[0] == 0xff, frame[1] & 0xe6 == 0xe2,
            let place = xingPlaces.first(where: {
                ["Xing", "Info"].contains(String(decoding: frame[$0..<$0 + 4], as: UTF8.self))
            })
        else { return nil }
        let flags = frame.bigEndian(place + 4, 4)
        // The number of frames, where there is one, comes before that of bytes.
        return flags & 2 == 0 ? nil : frame.bigEndian(place + (flags & 1 == 0 ? 8 : 12), 4)
    }

    /// Whether the last page is whole, and says that none follows.
    private static func hasLastPage(_ file: some FileBytes) -> Bool {
        let tail = file.bytes(longestPageBytes, at: max(0, file.length - longestPageBytes))
        // With the version, which is 0.
        let mark = Array("OggS".utf8) + [0]
        guard let start = tail.indices.last(where: { tail[$0...].starts(with: mark) }) else { return false }
        let page = Array(tail[start...])
        guard page.count >= pageHeadBytes else { return false }
        let parts = Int(page[26])
        let bodyBytes = page.dropFirst(pageHeadBytes).prefix(parts).reduce(0) { $0 + Int($1) }
        return page[5] & 4 != 0 && page.count >= pageHeadBytes + parts + bodyBytes
    }
}

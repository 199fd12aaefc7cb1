import CPage

/// A file of the page, out of the program itself.
struct PageResource: Sendable, Equatable {
    /// What the browser asks for; `/` for the page itself.
    let path: String
    let mediaType: String
    private let place: Int

    init?(path: String) {
        var place = 0
        while let file = unsafe page_file(place) {
            if unsafe String(cString: file.pointee.path) == path {
                self.path = path
                self.place = place
                mediaType = unsafe String(cString: file.pointee.media_type)
                return
            }
            place += 1
        }
        return nil
    }

    var bytes: [UInt8] {
        guard let file = unsafe page_file(place)?.pointee else { return [] }
        // SAFETY: a constant of as many bytes.
        return unsafe Array(UnsafeBufferPointer(start: file.bytes, count: file.count))
    }
}

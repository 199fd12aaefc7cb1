/// Cuts the names of a file's markers, so that they take neither all memory nor more than a chunk of 4 GiB: in a small file,
/// many markers may have one long name.
struct MarkerNames {
    /// In bytes of UTF-8.
    static let longest = 2000

    private var bytesLeft = MarkerChunks.mostBytes

    /// The name of the next marker; empty where the names before it have taken all the room.
    ///
    /// - Parameter text: made only where there is room.
    mutating func name(_ text: @autoclosure () -> String) -> String {
        guard bytesLeft > 0 else { return "" }
        let text = text()
        bytesLeft -= min(text.utf8.count, Self.longest)
        return bytesLeft < 0 ? "" : text.cut(toBytes: Self.longest)
    }
}

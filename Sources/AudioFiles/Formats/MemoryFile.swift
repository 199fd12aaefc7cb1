/// A file in memory: for trying an encoder out before a file is touched.
@safe final class MemoryFile: VirtualFile {
    /// More than the header of any file that has one frame; what is written behind is forgotten.
    private static let mostBytes = 1 << 20

    private var bytes: [UInt8] = []

    override var end: Int { bytes.count }

    override func canSeek(to place: Int) -> Bool { place <= Self.mostBytes }

    @unsafe override func read(into room: UnsafeMutableRawBufferPointer) -> Int {
        let found = bytes.dropFirst(position).prefix(room.count)
        unsafe room.copyBytes(from: found)
        return found.count
    }

    @unsafe override func write(_ given: UnsafeRawBufferPointer) -> Int {
        let kept = unsafe Array(given.prefix(max(0, Self.mostBytes - position)))
        guard !kept.isEmpty else { return given.count }
        if bytes.count < position + kept.count {
            bytes += [UInt8](repeating: 0, count: position + kept.count - bytes.count)
        }
        bytes.replaceSubrange(position..<(position + kept.count), with: kept)
        return given.count
    }
}

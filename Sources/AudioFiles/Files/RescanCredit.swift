/// How much may be looked at again in a stream of bytes, where what looked like a frame or a page was none and the next one may begin
/// within it.
///
/// Each byte that comes adds to it, up to a limit, so that the work on any bytes grows as their number: without it, bytes that look like a
/// beginning everywhere would have as much behind each of them searched.
package struct RescanCredit: Sendable {
    private var left = Self.most
    /// In bytes, since the beginning.
    package private(set) var spentBytes = 0

    /// Some ten usual frames of FLAC, or four of the largest pages of Ogg.
    package static let most = 1 << 18
    package static let bytesForEach = 8

    package init() {}

    /// Notes bytes that have come.
    package mutating func add(_ bytes: Int) { left = min(Self.most, left + Self.bytesForEach * bytes) }

    /// Whether so many bytes may be looked at again.
    package mutating func spend(_ bytes: Int) -> Bool {
        guard bytes <= left else { return false }
        left -= bytes
        spentBytes += bytes
        return true
    }
}

import CSndFile
import Glibc

/// A file that forgets what is written to it: for trying an encoder out before a file is touched.
struct VoidFile {
    private var position: Int64 = 0
    private var length: Int64 = 0

    /// Opens a sound file for writing upon `file`, which must stay where it is until that is closed.
    @unsafe static func open(_ file: UnsafeMutablePointer<VoidFile>, _ facts: inout SF_INFO) -> OpaquePointer? {
        // SAFETY: libsndfile hands each function the address it got, which is `file`, for as long as it is open.
        var functions = unsafe SF_VIRTUAL_IO(
            get_filelen: { unsafe $0?.assumingMemoryBound(to: VoidFile.self).pointee.length ?? 0 },
            seek: { unsafe $2?.assumingMemoryBound(to: VoidFile.self).pointee.seek($0, $1) ?? 0 },
            read: { _, _, _ in 0 },
            write: { unsafe $2?.assumingMemoryBound(to: VoidFile.self).pointee.write($1) ?? 0 },
            tell: { unsafe $0?.assumingMemoryBound(to: VoidFile.self).pointee.position ?? 0 })
        return unsafe sf_open_virtual(&functions, CInt(SFM_WRITE), &facts, file)
    }

    private mutating func seek(_ offset: Int64, _ origin: CInt) -> Int64 {
        position =
            switch origin {
            case CInt(SEEK_CUR): position + offset
            case CInt(SEEK_END): length + offset
            default: offset
            }
        return position
    }

    private mutating func write(_ count: Int64) -> Int64 {
        position += count
        length = max(length, position)
        return count
    }
}

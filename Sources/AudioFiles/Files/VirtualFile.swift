import CSndFile
import Glibc

/// A file that libsndfile reads or writes by calls, because there is none of that kind on a disk: what is in it, and where its bytes
/// go, its subclasses know.
///
/// Thread: one at a time.
@safe class VirtualFile {
    /// In bytes, as libsndfile sees it.
    final var position = 0
    /// How many bytes there are.
    var end: Int { 0 }

    /// Prepares to go on at a place, which is not negative; returns whether there is such.
    func canSeek(to place: Int) -> Bool { place <= end }
    /// Reads from `position` on; returns how many bytes came.
    @unsafe func read(into room: UnsafeMutableRawBufferPointer) -> Int { 0 }
    /// Writes at `position`; returns how many bytes were taken.
    @unsafe func write(_ bytes: UnsafeRawBufferPointer) -> Int { 0 }

    /// Opens a sound file upon it, which must be closed while this object is there.
    ///
    /// - Parameter mode: as `SFM_READ`.
    final func openVirtual(_ mode: Int, _ facts: inout SF_INFO) -> OpaquePointer? {
        // SAFETY: libsndfile hands each function the address that it got, which is this object's: its owner keeps it until the file
        // is closed. What is to be read has room for as many bytes as it says, and what is to be written has as many.
        var functions = unsafe SF_VIRTUAL_IO(
            get_filelen: { unsafe Int64(VirtualFile.of($0)?.end ?? 0) },
            seek: { unsafe VirtualFile.of($2)?.seek($0, $1) ?? -1 },
            read: { room, count, address in
                guard let file = unsafe VirtualFile.of(address) else { return 0 }
                return unsafe file.advance(
                    file.read(into: UnsafeMutableRawBufferPointer(start: room, count: Int(count))))
            },
            write: { bytes, count, address in
                guard let file = unsafe VirtualFile.of(address) else { return 0 }
                return unsafe file.advance(file.write(UnsafeRawBufferPointer(start: bytes, count: Int(count))))
            },
            tell: { unsafe Int64(VirtualFile.of($0)?.position ?? 0) })
        return unsafe sf_open_virtual(&functions, CInt(mode), &facts, Unmanaged.passUnretained(self).toOpaque())
    }

    @unsafe private static func of(_ address: UnsafeMutableRawPointer?) -> VirtualFile? {
        unsafe address.map { unsafe Unmanaged<VirtualFile>.fromOpaque($0).takeUnretainedValue() }
    }

    private func advance(_ count: Int) -> Int64 {
        position += count
        return Int64(count)
    }

    private func seek(_ offset: Int64, _ origin: CInt) -> Int64 {
        let start = origin == CInt(SEEK_CUR) ? position : origin == CInt(SEEK_END) ? end : 0
        let (place, isTooFar) = start.addingReportingOverflow(Int(offset))
        guard !isTooFar, place >= 0, canSeek(to: place) else { return -1 }
        position = place
        return Int64(place)
    }
}

import CSndFile
import Glibc

/// A file in memory: for trying an encoder out before a file is touched.
struct MemoryFile {
    /// More than the header of any file that has one frame; what is written behind is forgotten.
    private static let mostBytes = 1 << 20

    private var bytes: [UInt8] = []
    private var position = 0

    /// Opens a sound file upon `file`, which must stay where it is until that is closed.
    @unsafe static func open(
        _ file: UnsafeMutablePointer<MemoryFile>, _ mode: CInt, _ facts: inout SF_INFO
    ) -> OpaquePointer? {
        // SAFETY: libsndfile hands each function the address it got, which is `file`, for as long as it is open; what it
        // asks to read or write it has room for.
        var functions = unsafe SF_VIRTUAL_IO(
            get_filelen: { unsafe Int64($0?.assumingMemoryBound(to: MemoryFile.self).pointee.bytes.count ?? 0) },
            seek: { unsafe $2?.assumingMemoryBound(to: MemoryFile.self).pointee.seek($0, $1) ?? 0 },
            read: { unsafe $2?.assumingMemoryBound(to: MemoryFile.self).pointee.read($0, $1) ?? 0 },
            write: { unsafe $2?.assumingMemoryBound(to: MemoryFile.self).pointee.write($0, $1) ?? 0 },
            tell: { unsafe Int64($0?.assumingMemoryBound(to: MemoryFile.self).pointee.position ?? 0) })
        return unsafe sf_open_virtual(&functions, mode, &facts, file)
    }

    mutating func rewind() { position = 0 }

    private mutating func seek(_ offset: Int64, _ origin: CInt) -> Int64 {
        guard let target = soughtPlace(offset, origin, from: position, end: bytes.count),
            (0...Self.mostBytes).contains(target)
        else { return -1 }
        position = target
        return Int64(target)
    }

    @unsafe private func room(_ count: Int64) -> Int { max(0, min(Int(count), Self.mostBytes - position)) }

    @unsafe private mutating func read(_ target: UnsafeMutableRawPointer?, _ count: Int64) -> Int64 {
        let found = max(0, min(Int(count), bytes.count - position))
        guard found > 0, let target = unsafe target else { return 0 }
        unsafe UnsafeMutableRawBufferPointer(start: target, count: found)
            .copyBytes(from: bytes[position..<(position + found)])
        position += found
        return Int64(found)
    }

    @unsafe private mutating func write(_ source: UnsafeRawPointer?, _ count: Int64) -> Int64 {
        let kept = unsafe room(count)
        if let source = unsafe source, kept > 0 {
            if bytes.count < position + kept {
                bytes += [UInt8](repeating: 0, count: position + kept - bytes.count)
            }
            // SAFETY: libsndfile passes `count` bytes.
            let given = unsafe UnsafeRawBufferPointer(start: source, count: kept)
            unsafe bytes.replaceSubrange(position..<(position + kept), with: given)
        }
        position += kept
        return count
    }
}

/// Where libsndfile seeks to in what it reads or writes through functions; `nil` where no number is so large.
func soughtPlace(_ offset: Int64, _ origin: CInt, from position: Int, end: Int) -> Int? {
    let start =
        switch origin {
        case CInt(SEEK_CUR): position
        case CInt(SEEK_END): end
        default: 0
        }
    let (place, isTooFar) = start.addingReportingOverflow(Int(offset))
    return isTooFar ? nil : place
}

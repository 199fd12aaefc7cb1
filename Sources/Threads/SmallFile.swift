import Glibc

/// A file of a few lines, as the kernel and administrators write them.
package enum SmallFile {
    /// What it holds, or `nil` where it cannot be read. Never waits, whatever kind of file it is.
    ///
    /// - Parameter limit: no more is read once there are as many bytes.
    package static func text(_ path: String, limit: Int = 1 << 16) -> String? {
        let file = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        guard file >= 0 else { return nil }
        defer { close(file) }
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 16384)
        while bytes.count < limit {
            let count = unsafe piece.withUnsafeMutableBytes { unsafe read(file, $0.baseAddress, $0.count) }
            guard count >= 0 else { return nil }
            guard count > 0 else { break }
            bytes += piece.prefix(count)
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

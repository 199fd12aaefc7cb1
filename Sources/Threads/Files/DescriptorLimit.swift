import Glibc

/// How many files this process may have open, sockets and pipes included.
package enum DescriptorLimit {
    /// The limit in words, and what to do.
    package static var advice: String {
        "this program may have no more than \(limit) files open (ulimit -n \(limit)); raise that, as with ulimit -n 1024"
    }

    /// The same where fewer than `wanted` are left, else `nil`. Thread: control.
    package static func shortage(of wanted: Int) -> String? {
        var free = 0
        for descriptor in 0..<CInt(clamping: limit) where fcntl(descriptor, F_GETFD) < 0 {
            free += 1
            if free >= wanted { return nil }
        }
        return advice
    }

    /// How many, at present.
    package static var limit: Int {
        var limit = rlimit()
        guard unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return 0 }
        return Int(clamping: limit.rlim_cur)
    }
}

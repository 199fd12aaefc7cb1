import CJack
import Glibc

/// How many files this process may have open, sockets and pipes included.
enum DescriptorLimit {
    /// A client of jackd needs as many at a time, while it is opened: measured of jackd 1.9.21, up to 14. With fewer its
    /// libjack says that there is no server, does not come back, or ends the program by SIGSEGV.
    private static let wanted = 16

    /// The limit in words, and what to do.
    static var advice: String {
        "this program may have no more than \(limit) files open (ulimit -n \(limit)); raise that, as with ulimit -n 1024"
    }

    /// The same where fewer are left than opening a client takes, else `nil`. Thread: control.
    static var shortage: String? {
        var free = 0
        for descriptor in 0..<CInt(clamping: limit) where fcntl(descriptor, F_GETFD) < 0 {
            free += 1
            if free >= wanted { return nil }
        }
        return advice
    }

    private static var limit: Int {
        var limit = rlimit()
        guard unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return 0 }
        return Int(clamping: limit.rlim_cur)
    }
}

/// How much may be sent to whom. Whose address a datagram bears need not be who has sent it: without a limit a few false ones would have
/// a run send a lot to somebody who never asked.
struct OSCBudget<Host: Hashable> {
    /// Bytes that may go out, filled up with time.
    private struct Account {
        var left: Double
        var nanoseconds: UInt64
        var rate: Double

        /// Half a second's bytes may go at once.
        var most: Double { rate / 2 }

        init(rate: Double, at now: UInt64) {
            (self.rate, left, nanoseconds) = (rate, rate / 2, now)
        }

        mutating func fill(at now: UInt64) {
            left = min(most, left + rate * Double(now - min(now, nanoseconds)) / 1e9)
            nanoseconds = max(nanoseconds, now)
        }
    }

    private var hosts: [Host: Account] = [:]
    private var all: Account?

    /// In bytes per second: all figures of a run every 10 ms are some 60 000.
    static var hostRate: Double { 131_072 }
    static var totalRate: Double { 1_048_576 }
    /// So many hosts are remembered.
    static var most: Int { 256 }

    /// Whether so many bytes may go to a host now; then they count.
    mutating func take(_ bytes: Int, for host: Host, atNanoseconds now: UInt64) -> Bool {
        if hosts.count >= Self.most, hosts[host] == nil {
            // Those that were sent nothing for long are as new ones.
            hosts = hosts.filter { $0.value.nanoseconds + 1_000_000_000 > now }
            guard hosts.count < Self.most else { return false }
        }
        var account = hosts[host] ?? Account(rate: Self.hostRate, at: now)
        var total = all ?? Account(rate: Self.totalRate, at: now)
        account.fill(at: now)
        total.fill(at: now)
        let isThere = account.left >= Double(bytes) && total.left >= Double(bytes)
        if isThere {
            account.left -= Double(bytes)
            total.left -= Double(bytes)
        }
        (hosts[host], all) = (account, total)
        return isThere
    }
}

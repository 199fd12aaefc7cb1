import CJack
import Glibc
import Synchronization
import Threads

/// The semaphore that guards JACK's registry. libjack and jackd take it whenever a client is opened or a server started, and
/// wait for it without a time limit. A stopped process of any user that holds it blocks all of them.
enum RegistryLock {
    /// By which it is found. A test that holds it has another: for JACK's every JACK program of the machine waits.
    static let key = Atomic<key_t>(key_t(cjack_registry_key))

    /// A program writes an entry with it, which takes microseconds.
    private static let patienceMilliseconds = 1000

    /// Runs the operation with it. Returns `nil` where it is not to be had. Thread: keeper, or control.
    static func hold<Result>(patienceMilliseconds: Int = patienceMilliseconds, _ operation: () -> Result?) -> Result? {
        let key = key.load(ordering: .relaxed)
        guard cjack_registry_semaphore(key, -1, patienceMilliseconds) == 0 else { return nil }
        defer { _ = cjack_registry_semaphore(key, 1, 0) }
        return operation()
    }

    /// Who holds it up, and what to do; `nil` where it is free, or comes free in time. Thread: control.
    static func obstacle(patienceMilliseconds: Int = patienceMilliseconds) -> String? {
        let deadline = MonotonicClock.nanoseconds() + UInt64(patienceMilliseconds) * 1_000_000
        while true {
            let holder = cjack_registry_holder(key.load(ordering: .relaxed))
            guard holder >= 0 else { return nil }
            if MonotonicClock.nanoseconds() >= deadline {
                // A process of another container has no number here.
                guard holder > 0 else {
                    return
                        "a process that cannot be seen from here holds JACK's registry of servers, for which every JACK "
                        + "program waits; end it"
                }
                let name = SmallFile.text("/proc/\(holder)/comm")?.split(separator: "\n").first.map { " (\($0))" } ?? ""
                return
                    "process \(holder)\(name) holds JACK's registry of servers, for which every JACK program waits; end it "
                    + "(kill -KILL \(holder))"
            }
            MonotonicClock.sleep(milliseconds: 1)
        }
    }
}

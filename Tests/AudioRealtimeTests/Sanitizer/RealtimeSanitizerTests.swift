import Glibc
import Synchronization
import Testing

/// Keeps what a test plants from being optimised away.
nonisolated(unsafe) private var sink: AnyObject?
nonisolated(unsafe) private var memory: UnsafeMutableRawPointer?
nonisolated(unsafe) private let mutex: UnsafeMutablePointer<pthread_mutex_t> = {
    let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    pthread_mutex_init(mutex, nil)
    return mutex
}()

private final class Planted {
    let value: Int
    init(_ value: Int) { self.value = value }
}

/// The sanitizer's exit code.
private let tripped = ExitTest.Condition.exitCode(43)

/// The sanitizer must find what is planted here: otherwise, that it finds nothing in the unit means nothing.
@Suite("Inside a real-time region the sanitizer", .enabled(if: RealtimeSanitizer.isLinked))
struct RealtimeSanitizerTests {
    @Test("lets arithmetic and atomics pass")
    func controlPasses() async {
        await #expect(processExitsWith: .success) {
            let counter = Atomic(0)
            realtime { for number in 0..<1000 { counter.add(number, ordering: .relaxed) } }
            memory = malloc(64)
        }
    }

    @Test("finds malloc")
    func findsMalloc() async {
        await #expect(processExitsWith: tripped) {
            realtime { memory = malloc(64) }
        }
    }

    @Test("finds free")
    func findsFree() async {
        await #expect(processExitsWith: tripped) {
            memory = malloc(64)
            realtime { free(memory) }
        }
    }

    @Test("finds a pthread mutex, though nobody else holds it")
    func findsMutexLock() async {
        await #expect(processExitsWith: tripped) {
            let mutex = mutex
            realtime { _ = pthread_mutex_lock(mutex) }
        }
    }

    @Test("finds usleep")
    func findsSleep() async {
        await #expect(processExitsWith: tripped) {
            realtime { _ = usleep(1) }
        }
    }

    @Test("finds the allocation of a class")
    func findsClass() async {
        await #expect(processExitsWith: tripped) {
            realtime { sink = Planted(7) }
        }
    }

    @Test("finds the allocation of an array")
    func findsArray() async {
        await #expect(processExitsWith: tripped) {
            let count = Int(getpid()) % 100 + 100
            let sum = realtime { [Int](repeating: count, count: count).reduce(0, +) }
            if sum < 0 { exit(1) }
        }
    }

    @Test("finds the building of a string")
    func findsString() async {
        await #expect(processExitsWith: tripped) {
            let number = getpid()
            let length = realtime { "a string too long for a small one, with the number \(number)".utf8.count }
            if length < 0 { exit(1) }
        }
    }
}

@Suite("A test run for the real-time sanitizer")
struct RealtimeSanitizerLinkTests {
    @Test("is linked with it")
    func hooksAreLinked() {
        let isAskedFor = getenv("RTSAN").map { String(cString: $0) } == "1"
        #expect(RealtimeSanitizer.isLinked == isAskedFor, "RTSAN=1 is given where the tests are built, and only there")
    }
}

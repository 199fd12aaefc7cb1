import Glibc

/// A thread of its own for one end of a ring: tasks share theirs, and must not spin on it.
final class TestThread {
    private var thread = pthread_t()

    private final class Body {
        let run: @Sendable () -> Void
        init(_ run: @escaping @Sendable () -> Void) { self.run = run }
    }

    init(_ run: @escaping @Sendable () -> Void) {
        let context = Unmanaged.passRetained(Body(run)).toOpaque()
        let result = pthread_create(
            &thread, nil,
            { context in
                guard let context else { return nil }
                Unmanaged<Body>.fromOpaque(context).takeRetainedValue().run()
                return nil
            }, context)
        precondition(result == 0, "a thread could not be started")
    }

    func join() { pthread_join(thread, nil) }
}

/// Lets the other thread run while there is nothing to do, and gives up after 20 s in which nothing happened.
struct Patience {
    private var lastProgress = ContinuousClock.now
    private var hasProgressed = false

    mutating func progress() { hasProgressed = true }

    /// Whether it is worth looking again.
    mutating func wait() -> Bool {
        let now = ContinuousClock.now
        if hasProgressed { lastProgress = now }
        hasProgressed = false
        sched_yield()
        return now - lastProgress < .seconds(20)
    }
}

import Glibc
import Synchronization
import Threads

/// The check of plug-ins: each in a process of its own, several at once.
package struct PluginCheck: Sendable {
    /// Counted up where it looks at more, so that what it found before is not taken for what it would find now.
    package static let edition = 7

    package var probe: PluginProbe
    /// How many at once.
    package var jobs = Processors.permitted
    /// How long one plug-in may take, in seconds.
    package var deadlineSeconds = 20
    /// What counts as a failure.
    package var failing = FindingKind.failures

    package init(_ probe: PluginProbe) { self.probe = probe }

    /// How far a check is.
    package struct Progress: Sendable {
        package var done: Int
        package var all: Int
        package var seconds: Double
        /// The one that came last.
        package var last: PluginResult

        /// As far as those that are done tell.
        package var secondsLeft: Double { done > 0 ? seconds / Double(done) * Double(all - done) : 0 }
    }

    private struct Work {
        var next = 0
        var results: [PluginResult?]
        var isStopped = false
        /// Why the probe cannot be started: that is no plug-in's fault, and the check ends.
        var failure: String?
        /// Those that the control thread has not been told of.
        var news: [PluginResult] = []
    }

    private final class Shared: Sendable {
        let work: Mutex<Work>
        let changed = Semaphore()
        init(count: Int) { work = Mutex(Work(results: Array(repeating: nil, count: count))) }
    }

    /// Checks plug-ins. The results are in their order; after an interruption they are of those that were done by then.
    /// Thread: control.
    ///
    /// - Parameters:
    ///   - isInterrupted: asked on this thread five times a second and after each plug-in. Once it says yes, the plug-ins that
    ///     are being checked are ended, and no others are begun.
    ///   - report: called on this thread after each of them.
    /// - Throws: where the machine has no thread to give, or the probe cannot be started.
    package func results(
        of plugins: [InstalledPlugin], isInterrupted: () -> Bool = { false }, report: (Progress) -> Void = { _ in }
    ) throws(ResourceError) -> [PluginResult] {
        let shared = Shared(count: plugins.count)
        var workers: [Worker] = []
        for number in 0..<max(1, min(jobs, plugins.count)) {
            do throws(ResourceError) {
                workers.append(try Worker("check \(number)") { [self] in run(plugins, shared) })
            } catch {
                // Fewer workers need more time. Without any worker the check would never end.
                if workers.isEmpty { throw error }
                break
            }
        }
        let began = MonotonicClock.nanoseconds()
        var done = 0
        while done < plugins.count && !(shared.work.withLock { $0.isStopped } && workers.allSatisfy(\.isFinished)) {
            shared.changed.wait(untilNanoseconds: MonotonicClock.nanoseconds() + 200_000_000)
            if isInterrupted() { shared.work.withLock { $0.isStopped = true } }
            for result in shared.work.withLock({ work in
                defer { work.news = [] }
                return work.news
            }) {
                done += 1
                let seconds = Double(MonotonicClock.nanoseconds() - began) / 1e9
                report(Progress(done: done, all: plugins.count, seconds: seconds, last: result))
            }
        }
        for worker in workers { worker.join() }
        if let failure = shared.work.withLock({ $0.failure }) {
            throw ResourceError("start the program that loads plug-ins", failure)
        }
        return shared.work.withLock { $0.results.compactMap(\.self) }
    }

    /// Thread: worker.
    private func run(_ plugins: [InstalledPlugin], _ shared: Shared) {
        let isStopped = { shared.work.withLock { $0.isStopped } }
        while true {
            let next = shared.work.withLock { work -> Int? in
                guard !work.isStopped, work.next < plugins.count else { return nil }
                work.next += 1
                return work.next - 1
            }
            guard let next else { return }
            let plugin = plugins[next]
            let answer = probe.answer(
                "check", uri: plugin.uri, bundles: [plugin.bundle] + plugin.presetBundles,
                deadlineSeconds: deadlineSeconds, isStopped: isStopped)
            if answer.outcome.end == .stopped { return }
            var result = PluginResult(plugin, answer, failing: failing)
            SourceLines.add(to: &result, isStopped: isStopped)
            shared.work.withLock { work in
                if case .notStarted(let reason) = answer.outcome.end {
                    work.failure = reason
                    work.isStopped = true
                }
                work.results[next] = result
                work.news.append(result)
            }
            shared.changed.handle.post()
        }
    }
}

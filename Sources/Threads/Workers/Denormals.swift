import CThreads

/// Numbers so close to zero that computing with them takes a hundred times as long.
package enum Denormals {
    /// Has them taken for zero on the calling thread from now on, as on every audio thread.
    package static func flushOnThisThread() { _ = cthreads_flush_denormals() }

    /// Has them taken for zero on the calling thread while the function runs, so that it computes what an audio thread would.
    package static func flushed<Result>(_ body: () -> Result) -> Result {
        let before = cthreads_flush_denormals()
        defer { cthreads_restore_denormals(before) }
        return body()
    }
}

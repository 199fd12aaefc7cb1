import CThreads

/// The machine's processors.
package enum Processors {
    /// How many this process may run on, at least 1.
    package static var permitted: Int { max(1, Int(cthreads_permitted_processors())) }
}

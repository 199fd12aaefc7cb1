import CJack

/// Numbers so close to zero that computing with them takes a hundred times as long.
package enum Denormals {
    /// Has them taken for zero on the calling thread from now on, as on every audio thread.
    package static func flushOnThisThread() { cjack_flush_denormals() }
}

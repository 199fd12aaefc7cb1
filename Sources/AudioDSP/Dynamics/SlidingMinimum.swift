/// The least of the last so many values. One step costs two comparisons on average, and as many as the window is long at
/// the worst (Lemire, "Streaming maximum-minimum filter", Nordic J. Computing 13, 2006).
@safe struct SlidingMinimum: ~Copyable {
    // Not private: without optimisation the compiler fails on a row of what other files cannot name.
    struct Entry {
        var value: Int64
        var number: Int
    }

    /// In rising order, from `first` on: what may still become the least.
    private let entries: Row<Entry>
    private let mask: Int
    private let window: Int
    private var first = 0
    private var end = 0
    private var number = 0

    /// - Parameter window: 1 or more values.
    init(window: Int) {
        precondition(window >= 1)
        self.window = window
        var slots = 2
        while slots < window + 1 { slots *= 2 }
        mask = slots - 1
        entries = Row(zeros: slots)
    }

    @_noLocks @_noAllocation
    mutating func clear() { (first, end, number) = (0, 0, 0) }

    /// Takes the next value; returns the least of the window. Thread: audio. Wait-free.
    @_noLocks @_noAllocation
    mutating func add(_ value: Int64) -> Int64 {
        // SAFETY: the mask keeps each index within what was allocated; the window never has more entries than slots.
        while end > first, unsafe entries.base[(end - 1) & mask].value >= value { end -= 1 }
        unsafe entries.base[end & mask] = Entry(value: value, number: number)
        end += 1
        while unsafe entries.base[first & mask].number <= number - window { first += 1 }
        number += 1
        return unsafe entries.base[first & mask].value
    }
}

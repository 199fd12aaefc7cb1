/// The memory of the two all-pass branches of a minimum-phase half-band filter: what goes in, and what leaves each pair
/// of sections, of the sample before.
///
/// Both branches are computed at once, as the two lanes of a register: they have equally many sections. Each section is
/// y = a (x − y₁) + x₁ at the rate of its branch. One sample must wait for the one before, so that eight or sixteen at
/// once are no use here, and no instruction set makes a difference.
@safe struct AllPassBranches: BitwiseCopyable {
    /// Four pairs in the first stage, and two in the second.
    let sections: UnsafePointer<SIMD2<Float>>
    /// A pair more.
    let memory: UnsafeMutableRawPointer

    /// - Parameters: both stay valid while the value is in use.
    @unsafe @_noLocks @_noAllocation
    init(sections: UnsafePointer<SIMD2<Float>>, memory: UnsafeMutableRawPointer) {
        unsafe self.sections = sections
        unsafe self.memory = memory
    }

    /// Takes a sample for each branch, and gives what leaves each.
    @inline(__always) @_noLocks @_noAllocation
    private func four(_ x: SIMD2<Float>, _ a: FourSections, _ m: inout FourMemories) -> SIMD2<Float> {
        let y0 = a.0 * (x - m.1) + m.0
        let y1 = a.1 * (y0 - m.2) + m.1
        let y2 = a.2 * (y1 - m.3) + m.2
        let y3 = a.3 * (y2 - m.4) + m.3
        m = (x, y0, y1, y2, y3)
        return y3
    }

    @inline(__always) @_noLocks @_noAllocation
    private func two(_ x: SIMD2<Float>, _ a: TwoSections, _ m: inout TwoMemories) -> SIMD2<Float> {
        let y0 = a.0 * (x - m.1) + m.0
        let y1 = a.1 * (y0 - m.2) + m.1
        m = (x, y0, y1)
        return y1
    }

    /// Doubles the rate: of the samples `x`, `even` becomes every first and `odd` every second one.
    /// Thread: any. Wait-free.
    @_noLocks @_noAllocation
    func raise(_ x: Samples, even: Samples, odd: Samples) {
        // SAFETY: the first stage has four pairs of sections, and memory for them.
        let a = unsafe UnsafeRawPointer(sections).loadUnaligned(as: FourSections.self)
        var m = unsafe memory.loadUnaligned(as: FourMemories.self)
        for index in 0..<x.count {
            let y = four(SIMD2(repeating: x[index]), a, &m)
            even[index] = y.x
            odd[index] = y.y
        }
        unsafe memory.storeBytes(of: m, as: FourMemories.self)
    }

    /// Halves the rate of the samples `even` and `odd`, taken in turn. Thread: any. Wait-free.
    @_noLocks @_noAllocation
    func lower(even: Samples, odd: Samples, to output: Samples) {
        // SAFETY: as for `raise`.
        let a = unsafe UnsafeRawPointer(sections).loadUnaligned(as: FourSections.self)
        var m = unsafe memory.loadUnaligned(as: FourMemories.self)
        for index in 0..<output.count {
            let y = four(SIMD2(odd[index], even[index]), a, &m)
            output[index] = 0.5 * (y.x + y.y)
        }
        unsafe memory.storeBytes(of: m, as: FourMemories.self)
    }

    /// Doubles the rate of a signal of two planes, which become four. Thread: any. Wait-free.
    @_noLocks @_noAllocation
    func raise(even: Samples, odd: Samples, to planes: (Samples, Samples, Samples, Samples)) {
        // SAFETY: the second stage has two pairs of sections, and memory for them.
        let a = unsafe UnsafeRawPointer(sections).loadUnaligned(as: TwoSections.self)
        var m = unsafe memory.loadUnaligned(as: TwoMemories.self)
        for index in 0..<even.count {
            let first = two(SIMD2(repeating: even[index]), a, &m)
            planes.0[index] = first.x
            planes.1[index] = first.y
            let second = two(SIMD2(repeating: odd[index]), a, &m)
            planes.2[index] = second.x
            planes.3[index] = second.y
        }
        unsafe memory.storeBytes(of: m, as: TwoMemories.self)
    }

    /// Halves the rate of a signal of four planes, which become two. Thread: any. Wait-free.
    @_noLocks @_noAllocation
    func lower(_ planes: (Samples, Samples, Samples, Samples), toEven even: Samples, odd: Samples) {
        // SAFETY: as for `raise`.
        let a = unsafe UnsafeRawPointer(sections).loadUnaligned(as: TwoSections.self)
        var m = unsafe memory.loadUnaligned(as: TwoMemories.self)
        for index in 0..<even.count {
            let first = two(SIMD2(planes.1[index], planes.0[index]), a, &m)
            even[index] = 0.5 * (first.x + first.y)
            let second = two(SIMD2(planes.3[index], planes.2[index]), a, &m)
            odd[index] = 0.5 * (second.x + second.y)
        }
        unsafe memory.storeBytes(of: m, as: TwoMemories.self)
    }
}

private typealias Pair = SIMD2<Float>
private typealias FourSections = (Pair, Pair, Pair, Pair)
private typealias FourMemories = (Pair, Pair, Pair, Pair, Pair)
private typealias TwoSections = (Pair, Pair)
private typealias TwoMemories = (Pair, Pair, Pair)

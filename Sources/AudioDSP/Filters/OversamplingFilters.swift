/// The filters of the oversampler, laid over the planes of a workspace. Read only, once made.
@safe struct OversamplingFilters: ~Copyable {
    /// The filtering branch of a whole filter, and where its delaying branch reads.
    struct Halving: BitwiseCopyable {
        let filter: FoldedFilter
        let delayed: Int
    }

    // Of linear phase. To twice the rate: the even samples.
    let raiseFirst: FoldedFilter
    // To four times the rate: what follows an even sample of twice the rate, and an odd one.
    let raiseEven: FoldedFilter
    let raiseOdd: FoldedFilter
    // Back to twice the rate: the even samples, and the odd ones.
    let halveEven: Halving
    let halveOdd: Halving
    // Back to the sample rate: of two samples the earlier is kept, or the later.
    let lowerToEven: Halving
    let lowerToOdd: Halving
    // Of minimum phase.
    let firstSections: UnsafePointer<SIMD2<Float>>
    let secondSections: UnsafePointer<SIMD2<Float>>

    private let owned: [UnsafeMutableRawPointer]

    init() {
        var owned: [UnsafeMutableRawPointer] = unsafe []
        func constant<Value: BitwiseCopyable>(_ values: [Value]) -> UnsafePointer<Value> {
            let copy = UnsafeMutablePointer<Value>.allocate(capacity: values.count)
            for (index, value) in values.enumerated() { unsafe (copy + index).initialize(to: value) }
            unsafe owned.append(UnsafeMutableRawPointer(copy))
            return unsafe UnsafePointer(copy)
        }
        // A signal over several planes, of which output 0 needs the samples from `from` back, every `step`th.
        func branch(_ stage: Oversampling.Stage, over planes: [Int], from: Int, step: Int) -> FoldedFilter {
            // SAFETY: the constants are owned until the end, and as many as there are pairs.
            let taps = HalfBand.taps(stage)
            let later = taps.indices.map { Int32(place(from - step * $0, planes)) }
            let earlier = taps.indices.map { Int32(place(from - step * (2 * taps.count - 1 - $0), planes)) }
            return unsafe FoldedFilter(
                taps: constant(taps), later: constant(later), earlier: constant(earlier), pairs: taps.count)
        }
        func halving(_ stage: Oversampling.Stage, over planes: [Int], from: Int) -> Halving {
            let middle = 2 * HalfBand.taps(stage).count - 1
            return Halving(
                filter: branch(stage, over: planes, from: from, step: 2), delayed: place(from - middle, planes))
        }
        let doubled = [Views.twofold.first, Views.twofold.second]
        let fourfoldShaped = [Plane.fourfoldShaped0, .fourfoldShaped1, .fourfoldShaped2, .fourfoldShaped3].map(\.start)
        let shaped = [Plane.shaped0.start, Plane.shaped1.start]
        raiseFirst = branch(.first, over: [Plane.input.start], from: 0, step: 1)
        raiseEven = branch(.second, over: doubled, from: 0, step: 1)
        raiseOdd = branch(.second, over: doubled, from: 1, step: 1)
        halveEven = halving(.second, over: fourfoldShaped, from: 0)
        halveOdd = halving(.second, over: fourfoldShaped, from: 2)
        lowerToEven = halving(.first, over: shaped, from: 0)
        lowerToOdd = halving(.first, over: shaped, from: 1)
        unsafe firstSections = constant(HalfBand.sections(.first))
        unsafe secondSections = constant(HalfBand.sections(.second))
        unsafe self.owned = owned
    }

    deinit {
        // SAFETY: allocated above, and nobody else frees them.
        for index in unsafe owned.indices { unsafe owned[index].deallocate() }
    }
}

/// Where sample `time` lies of a signal whose samples are dealt to planes in turn.
private func place(_ time: Int, _ planes: [Int]) -> Int {
    let plane = ((time % planes.count) + planes.count) % planes.count
    return planes[plane] + (time - plane) / planes.count
}

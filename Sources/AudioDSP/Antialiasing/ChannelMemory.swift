/// What one setting remembers of one channel.
@safe struct ChannelMemory {
    private let base: UnsafeMutablePointer<Float>

    /// - Parameter base: `length` samples that stay valid while the value is in use.
    @unsafe @_noLocks @_noAllocation
    init(_ base: UnsafeMutablePointer<Float>) { unsafe self.base = base }

    /// The filters of minimum phase.
    enum Branches: Int {
        case raiseFirst, lowerFirst, raiseSecond, lowerSecond
    }

    /// Frames of the past for the first stage's filters and, of each plane, for the second's.
    private static var longPast: Int { @_noLocks @_noAllocation get { 72 } }
    private static var shortPast: Int { @_noLocks @_noAllocation get { 8 } }
    private static var branchesStart: Int {
        @_noLocks @_noAllocation get { Plane.longPlanes * longPast + 10 * shortPast }
    }
    /// Room for four pairs of sections each.
    private static var branchesLength: Int { @_noLocks @_noAllocation get { 10 } }
    private static var blockerStart: Int { @_noLocks @_noAllocation get { branchesStart + 4 * branchesLength } }
    /// In samples; a whole number of cache lines, and odd, so that many channels do not fall onto the same sets of the cache.
    static var length: Int { @_noLocks @_noAllocation get { 21 * 16 + 16 } }

    @_noLocks @_noAllocation
    func clear() {
        // SAFETY: as the initialiser was promised.
        unsafe base.update(repeating: 0, count: Self.length)
    }

    @_noLocks @_noAllocation
    func copy(from other: ChannelMemory, blocked ratio: Float) {
        // SAFETY: both are so long, and the blocker's two samples are within.
        unsafe Samples(base, count: Self.length).copy(from: Samples(other.base, count: Self.length))
        unsafe base[Self.blockerStart] *= ratio
        unsafe base[Self.blockerStart + 1] *= ratio
    }

    @_noLocks @_noAllocation
    func branches(_ which: Branches, of filters: borrowing OversamplingFilters) -> AllPassBranches {
        let isFirst =
            switch which {
            case .raiseFirst, .lowerFirst: true
            case .raiseSecond, .lowerSecond: false
            }
        // SAFETY: there is room for the longest.
        return unsafe AllPassBranches(
            sections: isFirst ? filters.firstSections : filters.secondSections,
            memory: UnsafeMutableRawPointer(base + Self.branchesStart + which.rawValue * Self.branchesLength))
    }

    @_noLocks @_noAllocation
    func blockDC(_ samples: Samples, pole: Float) {
        // SAFETY: there is room for its two samples.
        let place = unsafe UnsafeMutableRawPointer(base + Self.blockerStart)
        var blocker = unsafe place.loadUnaligned(as: DCBlocker.self)
        blocker.process(samples, pole: pole)
        unsafe place.storeBytes(of: blocker, as: DCBlocker.self)
    }

    /// Puts the past in front of the planes that `shaping` looks back on. Thread: any. Wait-free.
    @_noLocks @_noAllocation
    func recall(_ shaping: Shaping, in workspace: borrowing Workspace) {
        transfer(shaping, workspace, 0, isRecall: true)
    }

    /// Keeps the end of those planes. Thread: any. Wait-free.
    @_noLocks @_noAllocation
    func keep(_ shaping: Shaping, of workspace: borrowing Workspace, count: Int) {
        transfer(shaping, workspace, count, isRecall: false)
    }

    @_noLocks @_noAllocation
    private func transfer(_ shaping: Shaping, _ workspace: borrowing Workspace, _ count: Int, isRecall: Bool) {
        let long = Self.longPast
        let short = Self.shortPast
        switch (shaping.antialiasing.oversampling, shaping.phase) {
        case (1, _): transfer(.input, short, workspace, count, isRecall)
        case (2, .linear):
            transfer(.input, long, workspace, count, isRecall)
            transfer(.shaped0, long, workspace, count, isRecall)
            transfer(.shaped1, long, workspace, count, isRecall)
        case (2, .minimum): transfer(.doubled1, short, workspace, count, isRecall)
        case (_, .linear):
            transfer(.input, long, workspace, count, isRecall)
            transfer(.shaped0, long, workspace, count, isRecall)
            transfer(.shaped1, long, workspace, count, isRecall)
            transfer(.doubled0, short, workspace, count, isRecall)
            transfer(.fourfoldShaped0, short, workspace, count, isRecall)
            transfer(.fourfoldShaped1, short, workspace, count, isRecall)
            transfer(.fourfoldShaped2, short, workspace, count, isRecall)
            transfer(.fourfoldShaped3, short, workspace, count, isRecall)
        case (_, .minimum): transfer(.fourfold3, short, workspace, count, isRecall)
        }
    }

    @_noLocks @_noAllocation
    private func transfer(
        _ plane: Plane, _ frames: Int, _ workspace: borrowing Workspace, _ count: Int, _ isRecall: Bool
    ) {
        let number = plane.number
        let longer = min(number, Plane.longPlanes)
        let place = longer * Self.longPast + (number - longer) * Self.shortPast
        // SAFETY: every plane that is looked back on has its place before the branches.
        let past = unsafe Samples(base + place, count: frames)
        let end = workspace.run(at: plane.start + count - frames, count: frames)
        if isRecall { end.copy(from: past) } else { past.copy(from: end) }
    }
}

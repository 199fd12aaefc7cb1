/// Where one part of a block is worked on: planes side by side, each with room in front for what came before.
@safe struct Workspace: ~Copyable {
    /// The longest part, in frames.
    static var frames: Int { @_noLocks @_noAllocation get { 64 } }

    private let row = Row<Float>(zeros: Plane.total)

    /// All of it.
    var all: Samples { @_noLocks @_noAllocation get { row.samples } }

    @_noLocks @_noAllocation
    func run(_ plane: Plane, count: Int) -> Samples { all.slice(from: plane.start, count: count) }

    @_noLocks @_noAllocation
    func run(at place: Int, count: Int) -> Samples { all.slice(from: place, count: count) }
}

/// A plane of a workspace.
enum Plane: Int {
    /// The driven signal at its own rate.
    case input
    /// The shaped signal at twice the rate: its even samples, and its odd ones.
    case shaped0, shaped1
    /// The driven signal at twice the rate. With linear phase the odd samples are the input itself, later.
    case doubled0, doubled1
    /// The same at four times the rate. With linear phase every other one is of twice the rate, later.
    case fourfold0, fourfold1, fourfold2, fourfold3
    /// The shaped signal at four times the rate.
    case fourfoldShaped0, fourfoldShaped1, fourfoldShaped2, fourfoldShaped3
    /// What comes out.
    case output

    /// The first stage's filter reaches back 66 frames, the second's six.
    private static var longPast: Int { @_noLocks @_noAllocation get { 80 } }
    private static var shortPast: Int { @_noLocks @_noAllocation get { 16 } }
    /// As long as a part, and behind it room for a whole step of a filter.
    private static var length: Int { @_noLocks @_noAllocation get { 80 } }
    /// The first so many look back far.
    static var longPlanes: Int { @_noLocks @_noAllocation get { 3 } }

    /// Counted from 0, in the order above.
    var number: Int { @_noLocks @_noAllocation get { rawValue } }

    /// Where frame 0 of the plane lies in the workspace.
    var start: Int {
        @_noLocks @_noAllocation get {
            let longer = min(number, Self.longPlanes)
            let front = longer * (Self.longPast + Self.length) + (number - longer) * (Self.shortPast + Self.length)
            return front + (number < Self.longPlanes ? Self.longPast : Self.shortPast)
        }
    }

    static var total: Int { @_noLocks @_noAllocation get { Plane.output.start + length } }
}

/// Where the driven signal lies when it is put through the curve: frame 0 of each of its planes.
struct Views {
    let count: Int
    let first: Int
    let second: Int
    let third: Int
    let last: Int

    @_noLocks @_noAllocation
    private init(_ count: Int, _ first: Int, _ second: Int, _ third: Int, _ last: Int) {
        self.count = count
        self.first = first
        self.second = second
        self.third = third
        self.last = last
    }

    static var single: Views {
        @_noLocks @_noAllocation get { Views(1, Plane.input.start, 0, 0, Plane.input.start) }
    }

    /// The delaying branch of the first filter is as much later as it has pairs of taps, but for one frame.
    private static var delayed: Int { @_noLocks @_noAllocation get { Plane.input.start - 32 } }

    static var twofold: Views {
        @_noLocks @_noAllocation get { Views(2, Plane.doubled0.start, delayed, 0, delayed) }
    }

    /// The second filter delays by five samples of twice the rate: even samples come of odd ones.
    static var fourfold: Views {
        @_noLocks @_noAllocation get {
            Views(4, Plane.fourfold0.start, delayed - 3, Plane.fourfold2.start, Plane.doubled0.start - 2)
        }
    }

    static var minimumTwofold: Views {
        @_noLocks @_noAllocation get { Views(2, Plane.doubled0.start, Plane.doubled1.start, 0, Plane.doubled1.start) }
    }

    static var minimumFourfold: Views {
        @_noLocks @_noAllocation get {
            Views(
                4, Plane.fourfold0.start, Plane.fourfold1.start, Plane.fourfold2.start, Plane.fourfold3.start)
        }
    }
}

/// Random numbers that are the same in every run with the same seed (Steele, Lea and Flood, OOPSLA 2014).
///
/// It takes no lock and no memory. Thread: any, one at a time.
@frozen package struct SplitMix64: RandomNumberGenerator, Sendable {
    @usableFromInline var state: UInt64

    @inlinable package init(seed: UInt64) { state = seed }

    @inlinable package mutating func next() -> UInt64 {
        state &+= Self.step
        return Self.mixed(state)
    }

    /// The number at any place of a seed's sequence, from 0 on.
    @inlinable @inline(__always)
    package static func number(_ index: UInt64, ofSeed seed: UInt64) -> UInt64 { mixed(seed &+ (index &+ 1) &* step) }

    @inlinable static var step: UInt64 { @inline(__always) get { 0x9e37_79b9_7f4a_7c15 } }

    @inlinable @inline(__always)
    static func mixed(_ state: UInt64) -> UInt64 {
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
        return mixed ^ (mixed >> 31)
    }
}

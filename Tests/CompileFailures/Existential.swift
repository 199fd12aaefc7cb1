// expect: this code pattern can cause metadata allocation or locks
protocol Curve {
    func bend(_ sample: Float) -> Float
}

@_noLocks @_noAllocation
func process(_ curve: any Curve, sample: Float) -> Float {
    curve.bend(sample)
}

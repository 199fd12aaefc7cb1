import Fourier

/// The spectrum of a block.
package struct Lines {
    package var values: [SpectrumLine]

    package init(_ values: [SpectrumLine]) { self.values = values }

    package mutating func multiply(by other: Lines) {
        for line in values.indices {
            let (a, b) = (values[line], other.values[line])
            values[line] = SpectrumLine(r: a.r * b.r - a.i * b.i, i: a.r * b.i + a.i * b.r)
        }
    }

    package mutating func multiply(byConjugateOf other: Lines) {
        for line in values.indices {
            let (a, b) = (values[line], other.values[line])
            values[line] = SpectrumLine(r: a.r * b.r + a.i * b.i, i: a.i * b.r - a.r * b.i)
        }
    }
}

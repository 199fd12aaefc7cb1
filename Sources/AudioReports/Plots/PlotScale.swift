import func Glibc.asinh
import func Glibc.log10
import func Glibc.pow

/// Where values come to lie along one axis of a plot, and where its ticks are.
package struct PlotScale {
    package enum Kind {
        case linear
        /// Of positive values; what is less than the least one lies at its place.
        case logarithmic
        /// Of values of both signs: linear around zero as far as the knee, logarithmic beyond (asinh).
        case symmetric(knee: Double)
        /// Of percentiles, 0…100, by how rare what lies beyond is: −log₁₀(1 − p).
        case percentile
    }

    let kind: Kind
    let least: Double
    let greatest: Double
    /// Pixels of the least and of the greatest value.
    package let start: Double
    package let end: Double

    /// - Parameters:
    ///   - least: is moved where it leaves the scale without extent.
    ///   - greatest: likewise.
    package init(_ kind: Kind, from least: Double, to greatest: Double, start: Double, end: Double) {
        self.kind = kind
        switch kind {
        case .logarithmic:
            self.least = max(least, 1e-3)
            self.greatest = max(greatest, self.least * 1.5)
        case .linear, .symmetric:
            self.least = least
            self.greatest = max(greatest, least + 1e-9)
        case .percentile:
            self.least = max(0, least)
            self.greatest = min(100 - 1e-10, max(greatest, 90))
        }
        self.start = start
        self.end = end
    }

    /// In pixels, within the axis.
    package func position(_ value: Double) -> Double {
        let inside = min(max(value, least), greatest)
        let low = place(least)
        return start + (place(inside) - low) / (place(greatest) - low) * (end - start)
    }

    private func place(_ value: Double) -> Double {
        switch kind {
        case .linear: value
        case .logarithmic: log10(value)
        case .symmetric(let knee): asinh(value / knee)
        case .percentile: -log10(1 - value / 100)
        }
    }

    /// Round values within the axis, at least so many pixels apart; the rounder ones first, given in order of size.
    package func ticks(spacing: Double) -> [Double] {
        var chosen: [Double] = []
        for value in candidates(spacing: spacing) where value >= least && value <= greatest {
            let place = position(value)
            if chosen.allSatisfy({ abs(position($0) - place) >= spacing }) { chosen.append(value) }
        }
        return chosen.sorted()
    }

    private func candidates(spacing: Double) -> [Double] {
        switch kind {
        case .linear: multiples(of: linearStep(spacing: spacing))
        // Within a decade, round powers of ten are too few.
        case .logarithmic: greatest < 10 * least ? nearby : ladder(from: least, to: greatest)
        case .symmetric(let knee):
            [0] + decades(from: knee, to: max(abs(least), abs(greatest))).flatMap { [$0, -$0] }
        case .percentile: [50, 0, 90, 99, 99.9, 99.99, 99.999, 99.9999, 99.99999]
        }
    }

    private var nearby: [Double] {
        let step = pow(10, log10((greatest - least) / 5).rounded(.down))
        return [10, 5, 2].flatMap { multiples(of: $0 * step) }
    }

    /// Powers of ten, then five and two times these.
    private func ladder(from low: Double, to high: Double) -> [Double] {
        [1, 5, 2].flatMap { factor in decades(from: low, to: high).map { factor * $0 } }
    }

    /// Powers of ten, the greatest first.
    private func decades(from low: Double, to high: Double) -> [Double] {
        let exponents = Int(log10(low).rounded(.down))...Int(max(log10(low), log10(high)).rounded(.up))
        return exponents.reversed().map { pow(10, Double($0)) }
    }

    /// The least of 1, 2 and 5 times a power of ten that is wide enough.
    private func linearStep(spacing: Double) -> Double {
        let needed = (greatest - least) * spacing / max(abs(end - start), 1)
        let decade = pow(10, log10(needed).rounded(.down))
        return [1, 2, 5, 10].map { $0 * decade }.first { $0 >= needed * 0.999 } ?? decade * 10
    }

    private func multiples(of step: Double) -> [Double] {
        let first = (least / step).rounded(.up)
        let last = (greatest / step).rounded(.down)
        guard first <= last, last - first < 1000 else { return [] }
        return stride(from: first, through: last, by: 1).map { $0 * step }
    }
}

/// A round time at an axis: `−20 µs`, `1 ms`.
package func tickLabel(nanoseconds: Double) -> String {
    let text = duration(abs(nanoseconds), significantDigits: 6)
    let parts = text.split(separator: " ")
    guard parts.count == 2 else { return text }
    return (nanoseconds < 0 ? "−" : "") + withoutZeros(String(parts[0])) + " " + parts[1]
}

import AudioFigures

package struct FigureGroup: Sendable {
    /// Above its rows.
    let title: String
    let terms: [Term]
    package fileprivate(set) var figures: [Figure] = []
}

/// The figures of measurements, in the order in which help, tables and glossary have them.
package enum FigureTable {
    /// Of `iounit jitter` and `iounit compare`: their fields, by the sections that they declare.
    package static let measurement: [FigureGroup] = Report.figures.reduce(into: []) { groups, figure in
        if groups.isEmpty || figure.section != nil {
            groups.append(FigureGroup(title: figure.section?.title ?? "", terms: figure.section?.terms ?? []))
        }
        groups[groups.count - 1].figures.append(figure)
    }

    /// What the report of `iounit latency` has, and no other.
    package static let latency = LatencyReport.own.flatMap(\.figures)
}

extension [Figure] {
    /// What limits can be set on, each statistic by itself.
    var limitable: [Figure] {
        flatMap { $0.statistics.isEmpty ? [$0] : $0.statistics }.filter { $0.limit != nil }
    }
}

import AudioFigures

/// What a measurement comes to at first glance: the first mode's steadiness, what was lost, xruns, latency; those of the
/// other modes below them.
struct ReportTiles {
    /// Those that were measured.
    private let modes: [ModeReport]
    private let results: [LimitResult]

    /// So many other modes have room below a value.
    private static let mostOthers = 3

    init(_ report: Report) {
        modes = report.modes.filter { $0.cycles > 0 }
        results = report.limits
    }

    /// None where nothing was measured.
    var tiles: [PageTile] {
        guard let first = modes.first else { return [] }
        return [steadiness(first), losses(), xruns(first), latency(first)].compactMap(\.self)
    }

    private func steadiness(_ mode: ModeReport) -> PageTile? {
        guard mode.deviation.count > 0 else { return nil }
        let hasP99 = modes.allSatisfy { $0.deviation.count == 0 || $0.deviation.hasP99 }
        func value(_ mode: ModeReport) -> Int64 { hasP99 ? mode.deviation.p99 : mode.deviation.maximum }
        var details: [String] = []
        if !mode.hasChangedPeriod {
            let share = rounded(Double(value(mode)) / mode.nominalNanoseconds * 100)
            details.append("\(share) % of \(duration(mode.nominalNanoseconds, significantDigits: 4))")
        }
        if hasP99 { details.append("worst \(duration(Double(mode.deviation.maximum)))") }
        return PageTile(
            name: hasP99 ? "p99 deviation" : "worst deviation", value: duration(Double(value(mode))),
            details: details + others { duration(Double(value($0))) },
            state: state(of: [hasP99 ? "deviation.p99" : "deviation.max"], isLoss: false))
    }

    /// The most that any mode lost.
    private func losses() -> PageTile {
        let lost = modes.map(\.lost)
        var details: [String] = []
        let (long, gap) = (lost.compactMap(\.longIntervals).max(), lost.compactMap(\.gapFrames).max() ?? 0)
        let nanoseconds = lost.compactMap(\.nanoseconds).max()
        if let long, long > 0 { details.append("\(counted(long, "long interval")), > 1.5 periods") }
        if gap > 0 { details.append("clock skipped \(frames(Double(gap)))") }
        details += modes.filter(\.losesSound).map { mode in
            "\(mode.name): \(frames(Double((mode.droppedFrames ?? 0) + (mode.insertedFrames ?? 0)))) dropped or inserted"
        }
        if details.isEmpty { details = [long == nil ? "not told by the log" : "no late cycle"] }
        let isLoss = (nanoseconds ?? 0) > 0 || gap > 0
        return PageTile(
            name: "lost", value: nanoseconds.map { duration(Double($0)) } ?? "–", details: details,
            state: state(
                of: ["lost", "gap", "long-intervals", "dropped", "inserted"],
                isLoss: isLoss || modes.contains(where: \.losesSound)))
    }

    private func xruns(_ mode: ModeReport) -> PageTile {
        guard let most = modes.compactMap(\.lost.xruns).max() else {
            return PageTile(name: "xruns", value: "–", details: ["not told by the log"], state: .plain)
        }
        let delay = mode.lost.xrunDelayNanoseconds ?? 0
        return PageTile(
            name: "xruns", value: "\(most)",
            details: [delay > 0 ? "JACK named \(duration(Double(delay)))" : "reported by JACK"],
            state: state(of: ["xruns", "xrun-delay"], isLoss: most > 0))
    }

    private func latency(_ mode: ModeReport) -> PageTile? {
        guard let measured = mode.shownLatencyFrames, let nanoseconds = mode.shownLatencyNanoseconds else { return nil }
        let error = mode.latencyErrorFrames.value.map { " ± \(fixed($0, 3))" } ?? ""
        return PageTile(
            name: "latency added", value: nanoseconds == 0 ? "0 ms" : duration(nanoseconds),
            details: ["\(fixed(measured, 3))\(error) frames"]
                + others { $0.shownLatencyNanoseconds.map { duration($0) } },
            state: state(of: ["latency"], isLoss: false))
    }

    /// The other modes' values, as far as there is room.
    private func others(_ value: (ModeReport) -> String?) -> [String] {
        let lines = modes.dropFirst().compactMap { mode in value(mode).map { "\(mode.name): \($0)" } }
        let rest = lines.count - Self.mostOthers
        return lines.prefix(rest == 1 ? lines.count : Self.mostOthers) + (rest > 1 ? ["and \(rest) more"] : [])
    }

    /// - Parameter names: of the limits that belong to the figure.
    private func state(of names: Set<String>, isLoss: Bool) -> PageTile.State {
        let own = results.filter { result in (try? Limit(result.limit)).map { names.contains($0.name) } ?? false }
        if isLoss || own.contains(where: { !$0.isMet }) { return .bad }
        return own.isEmpty ? .plain : .good
    }
}

import AudioFigures

extension DeclaredLatency {
    /// `128 frames`, `0 to 128 frames`.
    package var framesInWords: String {
        frames == nil ? "\(minFrames) to \(maxFrames) frames" : AudioReports.frames(Double(minFrames))
    }

    /// `system:playback_1 playback 64, system:capture_1 capture 64`.
    var partsInWords: String {
        parts.filter(\.isCounted).map { part in
            let range =
                part.minFrames == part.maxFrames ? "\(part.minFrames)" : "\(part.minFrames) to \(part.maxFrames)"
            return "\(shown(part.port)) \(part.kind.rawValue) \(range)"
        }.joined(separator: ", ")
    }

    /// Where a port's range comes from other connections than the measured path: says so.
    var elsewhereInWords: String? {
        guard !otherConnections.isEmpty, let part = parts.last, part.minFrames != part.maxFrames else { return nil }
        let others = otherConnections.map(shown).joined(separator: ", ")
        return
            "\(shown(part.port)) declares \(part.minFrames) to \(part.maxFrames) frames, as its range spans what comes "
            + "from \(others), which is not on the measured path"
    }
}

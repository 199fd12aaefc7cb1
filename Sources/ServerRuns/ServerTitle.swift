import AudioFigures
import AudioReports

extension ServerFacts {
    /// For the first line of a live view, in the order of their weight.
    package var title: [String] {
        [
            (backend.value.map { "\($0) " } ?? "") + shown(name), "\(sampleRate) Hz",
            "\(periodFrames) frames = \(fixed(periodSeconds * 1000, 2)) ms",
            sync.value.map { $0 ? "sync" : "async" },
        ].compactMap(\.self)
    }
}

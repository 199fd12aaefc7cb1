/// What the check of one plug-in comes to.
package enum PluginVerdict: String, Codable, CaseIterable, Sendable {
    /// Nothing was seen that is not allowed on an audio thread.
    case safe
    /// The same, but for the first block of an instance, or the first after a reset.
    case safeAfterFirstBlock
    case notSafe
    /// It cannot be loaded, or did not come to its end.
    case notJudged

    package static let worstFirst: [PluginVerdict] = [.notSafe, .safeAfterFirstBlock, .notJudged, .safe]

    /// Whether it was seen to do what is not allowed on an audio thread.
    package var isBad: Bool { self == .notSafe || self == .safeAfterFirstBlock }

    package var inWords: String {
        switch self {
        case .safe: "real-time safe"
        case .safeAfterFirstBlock: "safe after the first block"
        case .notSafe: "not real-time safe"
        case .notJudged: "could not be judged"
        }
    }
}

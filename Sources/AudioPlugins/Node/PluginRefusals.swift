import CPluginGuard

/// What the host has refused to a plug-in, and has said of that. Thread: any but audio.
struct PluginRefusals {
    /// Places in `kinds`, and -1 for an end, of which a sentence was made: one each, though a plug-in may try in every block.
    private var told: Set<Int> = []
    private static let kinds: [(kind: cplugin_kind, sentence: String)] = [
        (CPLUGIN_ENDED_THREAD, "wanted to end this program from a thread of its own: that thread has ended"),
        (CPLUGIN_CLOSED, "wanted to close files that it did not open: they stay open"),
        (CPLUGIN_FORKED, "wanted to fork, or to become another program: that was refused"),
        (CPLUGIN_HANDLED, "wanted to handle signals: they stay with this program"),
    ]

    /// The sentences that are new. Another plug-in of the same library may be meant: threads do not say whose they are.
    mutating func take(_ info: PluginInfo, _ instances: [PluginInstance]) -> [String] {
        var sentences: [String] = []
        if let function = instances.lazy.compactMap(\.endedBy).first, told.insert(-1).inserted {
            sentences.append(
                "\(info.shown) called \(function), which would end this program: it is bypassed from there on")
        }
        guard let instance = instances.first else { return sentences }
        for (place, known) in Self.kinds.enumerated() where instance.count(of: known.kind) > 0 {
            if told.insert(place).inserted { sentences.append("\(info.shown) \(known.sentence)") }
        }
        return sentences
    }
}

import Threads

/// A plug-in of LV2 as its description has it.
package struct InstalledPlugin: Sendable, Equatable {
    package var uri: String
    package var name: String
    /// The folder with its description. Ends in `/`.
    package var bundle: String
    /// The library with its code; empty where the description names none.
    package var binary: String
    /// As `Equaliser Plugin`; empty where it is not known.
    package var category: String
    /// Whether it says of itself that `run` is fit for an audio thread (`lv2:hardRTCapable`).
    package var claimsHardRealTime: Bool
    /// Other bundles that have presets for it.
    package var presetBundles: [String] = []

    /// Bundle and last part of the URI, as `fomp/autowah`.
    package var shortName: String {
        let folder = bundle.split(separator: "/").last.map(String.init) ?? ""
        let stem = folder.hasSuffix(".lv2") ? String(folder.dropLast(4)) : folder
        return "\(stem)/\(Self.lastPart(uri))"
    }

    /// What a URI and its short name have in common: it is in both.
    static func lastPart(_ name: String) -> String {
        name.split(whereSeparator: { "/#:".contains($0) }).last.map(String.init) ?? name
    }
}

/// Why plug-ins cannot be found.
package enum PluginSearchError: Error, Sendable, Equatable {
    /// There is no such plug-in, bundle or package.
    case notFound(String)
    /// A bundle that cannot be read.
    case unreadable(String)
    /// Nobody wants to know any more.
    case interrupted
}

extension InstalledPlugin {
    /// How long the descriptions may take to be read.
    static let deadlineSeconds = 60.0

    /// The plug-ins that some bundles describe, by URI.
    ///
    /// Reads descriptions in a process of its own, because a description may be anything. Thread: any that may wait.
    package static func all(
        _ probe: PluginProbe, bundles: [String], isInterrupted: () -> Bool = { false }
    ) throws(PluginSearchError) -> [InstalledPlugin] {
        try told(
            probe, "list", bundles, isInterrupted,
            of: "\(bundles.joined(separator: ", ")): the description cannot be read")
    }

    /// The installed ones, by URI. Thread: any that may wait.
    ///
    /// - Parameter bundles: see `having`.
    package static func all(
        _ probe: PluginProbe, among bundles: [String]? = nil
    ) throws(PluginSearchError) -> [InstalledPlugin] {
        // It is in each of them.
        try having([""], probe, among: bundles)
    }

    /// The installed ones that have one of the texts in their URI or in the path of their bundle, letter for letter, by URI.
    /// Takes a fraction of the time of `all`: few descriptions are read. Thread: any that may wait.
    ///
    /// - Parameter bundles: all that are installed and may be read; `nil` for those in `LV2_PATH`.
    package static func having(
        _ texts: [String], _ probe: PluginProbe, among bundles: [String]? = nil
    ) throws(PluginSearchError) -> [InstalledPlugin] {
        // Where none is named the probe looks in LV2_PATH.
        guard bundles?.isEmpty != true else { return [] }
        return try told(
            probe, "find", ["\(texts.count)"] + texts + (bundles ?? []), { false },
            of: "the descriptions of the installed plug-ins cannot be read")
    }

    private static func told(
        _ probe: PluginProbe, _ verb: String, _ words: [String], _ isInterrupted: () -> Bool, of failure: String
    ) throws(PluginSearchError) -> [InstalledPlugin] {
        let answer = probe.answer(
            verb, words, environment: Environment.all, deadlineSeconds: deadlineSeconds, isStopped: isInterrupted)
        if answer.outcome.end == .stopped { throw .interrupted }
        let lines = answer.lines
        guard lines.last?.kind == .end else { throw .unreadable("\(failure): \(answer.outcome.end.inWords)") }
        // Each once: presets of two bundles may come in turns.
        var presets: [String: Set<String>] = [:]
        for line in lines where line.kind == .presets {
            if let uri = line.uri, let bundle = line.bundle { presets[uri, default: []].insert(bundle) }
        }
        let found = lines.filter { $0.kind == .found }.compactMap { line -> InstalledPlugin? in
            guard let uri = line.uri, let bundle = line.bundle else { return nil }
            return InstalledPlugin(
                uri: uri, name: line.name ?? "", bundle: bundle, binary: line.binary ?? "", category: line.class ?? "",
                claimsHardRealTime: line.claimsHardRealTime ?? false, presetBundles: (presets[uri] ?? []).sorted())
        }
        return found.sorted { $0.uri < $1.uri }
    }
}

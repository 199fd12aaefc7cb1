import CLilv
import Synchronization

/// The LV2 plug-ins of this machine. Thread: any but audio.
public final class PluginList: Sendable {
    let world: PluginWorld
    /// Of every plug-in, in the order of their URIs.
    public let uris: [String]
    /// Why bundles were left out that cannot be read to an end, in a sentence each that names the bundle.
    public var refusals: [String] { world.refusals }
    /// Of those whose short name no other has, by URI.
    private let shortNames: [String: String]

    private static let shared = Mutex<PluginList?>(nil)

    /// Those where LV2 looks, in the environment's `LV2_PATH` or the usual folders; looked for once.
    ///
    /// - Throws: `unavailable` where liblilv is not installed.
    public static func installed() throws(PluginError) -> PluginList {
        try shared.withLock { shared throws(PluginError) in
            if let shared { return shared }
            let list = try PluginList(path: nil)
            shared = list
            return list
        }
    }

    /// - Parameter path: folders with bundles, divided by colons; `nil` for the environment's `LV2_PATH` or the usual ones. A
    ///   bundle with broken Turtle is left out, and lilv says why on the standard error; so is one that might never be read to
    ///   its end, which `refusals` names, and what a library lists (a dynamic manifest), because it would have to run for that.
    /// - Throws: `unavailable` where liblilv is not installed.
    public init(path: String?) throws(PluginError) {
        world = try PluginWorld(path: path)
        let places: [(uri: String, bundle: String)] = world.with { lilv in
            var places: [(uri: String, bundle: String)] = []
            unsafe lilv.plugins { plugin in
                guard let uri = unsafe lilv.text(unsafe lilv_plugin_get_uri(plugin)) else { return }
                unsafe places.append((uri, lilv.path(unsafe lilv_plugin_get_bundle_uri(plugin)) ?? ""))
            }
            return places
        }
        uris = places.map(\.uri).sorted()
        let names = Dictionary(grouping: places) { Self.shortName($0.uri, bundle: $0.bundle) }
        shortNames = names.reduce(into: [:]) { if $1.value.count == 1 { $0[$1.value[0].uri] = $1.key } }
    }

    /// As `fomp/autowah`: the bundle without `.lv2`, and what the URI has behind its last `/`, `#` or `:`.
    static func shortName(_ uri: String, bundle: String) -> String {
        var folder = String(bundle.split(separator: "/").last ?? "")
        if folder.hasSuffix(".lv2") { folder = String(folder.dropLast(4)) }
        return "\(folder)/\(uri.split { "/#:".contains($0) }.last ?? "")"
    }

    /// The short names, and the URIs of those that have none, sorted.
    public var names: [String] { uris.map { shortNames[$0] ?? $0 }.sorted() }

    /// - Parameters:
    ///   - name: its URI or its short name.
    ///   - sampleRate: in hertz. Some ranges are parts of it.
    /// - Throws: `missing`, with the names that are most like it.
    public func info(_ name: String, sampleRate: Int = 48_000) throws(PluginError) -> PluginInfo {
        let uri = shortNames[name] != nil ? name : shortNames.first { $0.value == name }?.key ?? name
        let info = world.with { lilv in
            unsafe lilv.plugin(uri).map {
                unsafe PluginInfo(lilv, $0, shortName: shortNames[uri], sampleRate: sampleRate)
            }
        }
        guard let info else {
            let refused = refusals.prefix(3).map { "; \($0)" }.joined()
            throw PluginError(.missing, "there is no plug-in \(printable(name)); \(suggestion(for: name))\(refused)")
        }
        return info
    }

    /// Those whose URI, names, class or author have the pattern in them, in whatever case; all where it is empty.
    public func plugins(matching pattern: String = "") -> [PluginInfo] {
        let pattern = pattern.lowercased()
        return uris.compactMap { try? info($0) }.filter { plugin in
            pattern.isEmpty
                || [plugin.uri, plugin.shortName ?? "", plugin.name, plugin.category, plugin.author].contains {
                    $0.lowercased().contains(pattern)
                }
        }
    }

    private func suggestion(for name: String) -> String {
        let near = nearest(name)
        if !near.isEmpty { return "did you mean \(near.joined(separator: ", "))?" }
        return uris.isEmpty
            ? "no plug-in is installed: install some (as in apt-get install fomp), or set LV2_PATH"
            : "iounit plugin list shows what is installed"
    }

    /// Those whose last part is that of the name, or has it in it, or begins as it does.
    private func nearest(_ name: String) -> [String] {
        func last(_ name: String) -> String {
            (name.split { "/#:".contains($0) }.last.map(String.init) ?? name).lowercased()
        }
        let wanted = last(name)
        guard !wanted.isEmpty else { return [] }
        let scored = uris.map { shortNames[$0] ?? $0 }.compactMap { known -> (name: String, score: Int)? in
            let own = last(known)
            if own == wanted { return (known, 0) }
            if own.contains(wanted) { return (known, 1) }
            return wanted.count >= 4 && own.hasPrefix(wanted.prefix(4)) ? (known, 2) : nil
        }
        return scored.sorted { ($0.score, $0.name) < ($1.score, $1.name) }.prefix(3).map(\.name)
    }
}

/// What a user gave, for a message: without control characters, and not at any length.
func printable(_ text: String) -> String {
    "\"" + String(visible(text, "?").unicodeScalars.prefix(200)) + "\""
}

/// With another character in the place of each control character.
func visible(_ text: some StringProtocol, _ other: Unicode.Scalar) -> String {
    String(String.UnicodeScalarView(text.unicodeScalars.map { $0.value < 32 || $0.value == 127 ? other : $0 }))
}

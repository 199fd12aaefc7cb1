import Glibc
import Threads

/// Which plug-ins are meant.
package struct PluginSelection: Sendable, Equatable {
    /// URIs, short names and bundles.
    package var names: [String] = []
    /// Debian packages.
    package var packages: [String] = []
    /// All that are installed, of these those whose URI, name or bundle has one of the texts in it; `nil`: not asked for.
    package var patterns: [String]?

    package init() {}

    /// The names that are those of bundles.
    package var bundles: [String] { names.filter(Self.isFolder) }

    /// Whether all installed bundles are looked through.
    package var looksThroughInstalled: Bool {
        bundles.count < names.count || !packages.isEmpty || patterns != nil
    }

    /// Finds them: each once, by URI.
    ///
    /// - Parameter installedBundles: those that are installed and may be read; `nil` for those in `LV2_PATH`.
    package func plugins(
        _ probe: PluginProbe, among installedBundles: [String]? = nil
    ) throws(PluginSearchError) -> [InstalledPlugin] {
        var found: [InstalledPlugin] = []
        let bundles = try bundles.map { name throws(PluginSearchError) in try Self.bundle(name) }
        for bundle in bundles {
            let plugins = try InstalledPlugin.all(probe, bundles: [bundle])
            guard !plugins.isEmpty else {
                throw .unreadable("\(bundle) describes no plug-in that can be read; see its manifest.ttl")
            }
            found += plugins
        }
        guard looksThroughInstalled else { return Self.unique(found) }
        let uris = names.filter { !Self.isFolder($0) }
        let folders = try packages.map { package throws(PluginSearchError) in try Self.bundles(ofPackage: package) }
        // A text may also be in a plug-in's name, which only its description has.
        let installed =
            patterns != nil
            ? try InstalledPlugin.all(probe, among: installedBundles)
            : try InstalledPlugin.having(
                uris.map(InstalledPlugin.lastPart) + folders.flatMap(\.self), probe, among: installedBundles)
        for name in uris {
            let matches = installed.filter { $0.uri == name || $0.shortName == name }
            guard !matches.isEmpty else {
                throw Self.unknown(name, try InstalledPlugin.all(probe, among: installedBundles))
            }
            found += matches
        }
        for (package, folders) in zip(packages, folders) {
            let matches = installed.filter { folders.contains($0.bundle) }
            guard !matches.isEmpty else {
                throw .notFound("the package \(package) has no plug-in of LV2 that is found")
            }
            found += matches
        }
        if let patterns {
            let matches = installed.filter { plugin in
                patterns.isEmpty || patterns.contains { plugin.hasText($0) }
            }
            guard !matches.isEmpty else {
                throw .notFound(
                    patterns.isEmpty
                        ? "no plug-in of LV2 is installed, or LV2_PATH does not name its folder"
                        : "no installed plug-in has \(patterns.joined(separator: " or ")) in its URI, name or bundle")
            }
            found += matches
        }
        return Self.unique(found)
    }

    /// A URI is none, even where there is a folder of that name.
    private static func isFolder(_ name: String) -> Bool {
        !name.contains(":")
            && (name.hasPrefix("/") || name.hasPrefix(".") || name.hasSuffix("/") || name.hasSuffix(".lv2"))
    }

    private static func bundle(_ name: String) throws(PluginSearchError) -> String {
        guard Folder.exists(name) else { throw .notFound("there is no bundle \(name)") }
        let path = FilePath(name).resolved + "/"
        guard unsafe access(path + "manifest.ttl", R_OK) == 0 else {
            throw .unreadable("\(name) is no bundle of LV2: it has no manifest.ttl that can be read")
        }
        return path
    }

    private static func bundles(ofPackage package: String) throws(PluginSearchError) -> Set<String> {
        guard !package.isEmpty, package.first != "-" else { throw .notFound("\"\(package)\" names no package") }
        let answer = ChildProcess.run(["dpkg", "-L", package], deadlineSeconds: 30)
        switch answer.end {
        case .exited(0): break
        case .exited(1):
            throw .notFound("the package \(package) is not installed; install it, as with apt install \(package)")
        default:
            throw .notFound(
                "dpkg does not say what is in the package \(package): \(answer.end.inWords); name plug-ins or bundles instead"
            )
        }
        let files = String(decoding: answer.bytes, as: UTF8.self)
        let manifest = "/manifest.ttl"
        let manifests = files.split(separator: "\n").filter { $0.hasSuffix(manifest) }
        return Set(manifests.map { FilePath(FilePath(String($0)).folder).resolved + "/" })
    }

    private static func unknown(_ name: String, _ installed: [InstalledPlugin]) -> PluginSearchError {
        let text = InstalledPlugin.lastPart(name)
        // A text of a letter or two is in all of them.
        let near = installed.filter { text.count > 2 && $0.hasText(text) }.prefix(3).map(\.uri)
        return .notFound(
            "there is no plug-in \(name)"
                + (near.isEmpty
                    ? "; iounit plugin check --all checks all that are installed"
                    : "; did you mean \(near.joined(separator: ", "))?"))
    }

    /// Two bundles may have builds of one plug-in.
    private static func unique(_ plugins: [InstalledPlugin]) -> [InstalledPlugin] {
        var known: Set<[String]> = []
        return plugins.filter { known.insert([$0.uri, FilePath($0.bundle).resolved]).inserted }
    }
}

extension InstalledPlugin {
    /// Whether a text is in its URI, name or bundle, in capitals or not.
    func hasText(_ text: String) -> Bool {
        [uri, name, bundle].contains { $0.lowercased().contains(text.lowercased()) }
    }
}

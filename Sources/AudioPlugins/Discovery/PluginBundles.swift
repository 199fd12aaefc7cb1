import Glibc
import Threads

/// The bundles of plug-ins in the folders where LV2 looks. lilv reads each description to its end, however long that takes: a
/// bundle with one that has no end, as a named pipe or a device, must not come to it.
package struct PluginBundles {
    /// Their paths, which end in `/`, in the order in which lilv comes to them.
    package private(set) var readable: [String] = []
    /// Why each other one is left out, in a sentence that names it.
    package private(set) var refusals: [String] = []

    private static let unlisted = "its folder cannot be listed"
    /// In bytes. Of what the tests install none has 1 MB.
    private static let longestDescription = 16 << 20

    /// - Parameter path: folders, divided by colons, as lilv takes them; `nil` for the environment's `LV2_PATH` or the usual ones.
    package init(path: String? = nil) {
        var known: Set<String> = []
        let folders = (path ?? Environment["LV2_PATH"])?.split(separator: ":").map(String.init) ?? Self.usualFolders
        for folder in folders.map(Self.expanded) where known.insert(FilePath(folder).resolved).inserted {
            for name in Folder.names(in: folder) ?? [] {
                let bundle = FilePath(folder).appending(name) + "/"
                let names = Folder.names(in: bundle)
                guard names != nil || Self.isUnknown(bundle) else { continue }
                if let reason = names.map({ Self.refusal(bundle, $0) }) ?? Self.unlisted {
                    refusals.append("\(bundle) is left out: \(reason)")
                } else {
                    readable.append(bundle)
                }
            }
        }
    }

    /// Those of Debian's lilv, in its order, and of other distributions'.
    private static var usualFolders: [String] {
        #if arch(x86_64)
            let architecture = "x86_64"
        #else
            let architecture = "aarch64"
        #endif
        return [
            "~/.lv2", "/usr/lib/\(architecture)-linux-gnu/lv2", "/usr/lib/lv2", "/usr/lib64/lv2", "/usr/local/lib/lv2",
            "/usr/local/lib64/lv2",
        ]
    }

    /// With the home folder and the variables that lilv puts in.
    private static func expanded(_ folder: String) -> String {
        let parts = folder.split(separator: "/", omittingEmptySubsequences: false)
        return parts.map { part in
            if part == "~" { return Environment["HOME"] ?? "~" }
            return part.first == "$" ? Environment[String(part.dropFirst())] ?? String(part) : String(part)
        }.joined(separator: "/")
    }

    /// Why lilv must not read a bundle; `nil` where it may.
    package static func refusal(of bundle: String) -> String? {
        guard let names = Folder.names(in: bundle) else { return isUnknown(bundle) ? unlisted : nil }
        return refusal(bundle, names)
    }

    /// Whether lilv may read what cannot be looked at here: its folder cannot be listed, or its name is no UTF-8.
    private static func isUnknown(_ bundle: String) -> Bool {
        unsafe access(FilePath(bundle).appending("manifest.ttl"), R_OK) == 0 || bundle.contains("\u{fffd}")
    }

    private static func refusal(_ bundle: String, _ names: [String]) -> String? {
        // lilv follows what descriptions name to files in folders of the bundle. Links to folders are not followed, so the walk ends.
        // Without a manifest it reads nothing, and it may be a folder of any size.
        guard names.contains("manifest.ttl") else { return nil }
        var names = names
        while let name = names.popLast() {
            let path = FilePath(bundle).appending(name)
            var facts = stat()
            guard unsafe lstat(path, &facts) == 0 else {
                if name.hasSuffix(".ttl") { return "its \(visible(name, "?")) cannot be looked at" }
                continue
            }
            if facts.st_mode & S_IFMT == S_IFDIR {
                names += (Folder.names(in: path) ?? []).map { "\(name)/\($0)" }
                continue
            }
            guard name.hasSuffix(".ttl"), unsafe stat(path, &facts) == 0 else { continue }
            switch facts.st_mode & S_IFMT {
            case S_IFREG where facts.st_size > longestDescription:
                return "its \(visible(name, "?")) has more than 16 MB, as no description has"
            case S_IFREG, S_IFDIR: continue
            default: return "its \(visible(name, "?")) is no regular file, and reading it might never end"
            }
        }
        return nil
    }
}

import Glibc

/// A file's path and its parts.
package struct FilePath {
    package let text: String

    package init(_ text: String) { self.text = text }

    /// Without slashes at the end, but for the root.
    private var trimmed: Substring {
        var text = text[...]
        while text != "/", text.last == "/" { text.removeLast() }
        return text
    }

    /// Without its folder.
    package var name: String {
        let text = trimmed
        guard text != "/", let slash = text.lastIndex(of: "/") else { return String(text) }
        return String(text[text.index(after: slash)...])
    }

    /// Where it is; empty for a name alone.
    package var folder: String {
        let text = trimmed
        guard let slash = text.lastIndex(of: "/") else { return "" }
        return slash == text.startIndex ? "/" : String(FilePath(String(text[..<slash])).trimmed)
    }

    /// What is behind the last dot of its name; empty where there is none. A hidden file's dot begins no extension.
    package var fileExtension: String { split.fileExtension }
    package var withoutExtension: String { split.rest }

    private var split: (rest: String, fileExtension: String) {
        let (name, text) = (name, String(trimmed))
        guard let dot = name.lastIndex(of: "."), dot != name.startIndex else { return (text, "") }
        let suffix = name[name.index(after: dot)...]
        return (String(text.dropLast(suffix.count + 1)), String(suffix))
    }

    /// The path of a file in this folder.
    package func appending(_ name: String) -> String {
        text.isEmpty ? name : text.hasSuffix("/") ? text + name : "\(text)/\(name)"
    }

    /// From the root, without `.` and `..`. Links are not followed.
    package var absolute: String {
        var parts: [Substring] = []
        for part in (text.hasPrefix("/") ? text : "\(Folder.current)/\(text)").split(separator: "/") where part != "." {
            if part == ".." { _ = parts.popLast() } else { parts.append(part) }
        }
        return "/" + parts.joined(separator: "/")
    }

    /// Where it leads to, however it is spelled. It need not be there, nor what a link leads to.
    package var resolved: String { resolved(links: 0) }

    /// As many links may lead to one another.
    static let longestChain = 40

    private func resolved(links: Int) -> String {
        // Nothing can have such a name, and each of its parts would be a call within a call.
        guard text.utf8.count < Int(PATH_MAX) else { return absolute }
        // SAFETY: the text is ours to free.
        if let whole = unsafe realpath(text, nil) {
            defer { unsafe free(whole) }
            return unsafe String(cString: whole)
        }
        let place = FilePath(absolute)
        if links < Self.longestChain, let target = Self.target(ofLink: place.text, in: AT_FDCWD) {
            let next = target.hasPrefix("/") ? target : FilePath(place.folder).appending(target)
            return FilePath(next).resolved(links: links + 1)
        }
        guard place.text != "/" else { return "/" }
        return FilePath(FilePath(place.folder).resolved(links: links)).appending(place.name)
    }

    /// What a link names; `nil` of what is none.
    ///
    /// - Parameter folder: an open one, from which a path that does not begin at the root leads; or `AT_FDCWD`.
    static func target(ofLink link: String, in folder: CInt) -> String? {
        var bytes = [UInt8](repeating: 0, count: Int(PATH_MAX))
        let count = unsafe bytes.withUnsafeMutableBytes { bytes in
            // SAFETY: it writes at most as much as there is room for.
            unsafe bytes.withMemoryRebound(to: CChar.self) { text in
                unsafe text.baseAddress.map { unsafe readlinkat(folder, link, $0, text.count) } ?? -1
            }
        }
        return count > 0 ? String(decoding: bytes.prefix(count), as: UTF8.self) : nil
    }
}

import Glibc

/// Passwords that somebody wrote on the command line, as in `icecast://source:PASSWORD@HOST`.
enum HiddenPasswords {
    private static let scheme = "icecast://"

    /// Takes them out of what `ps` and `/proc` show of this process. Until then they are seen, and a shell may keep them: a
    /// file or a variable is better.
    ///
    /// - Parameter words: the arguments, which must have been copied before.
    static func wipe(_ words: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>, count: Int) {
        for index in 0..<count {
            // SAFETY: so many words, each of which ends with a NUL.
            guard let word = unsafe words[index], unsafe strstr(word, scheme) != nil else { continue }
            let text = unsafe Array(UnsafeBufferPointer(start: word, count: strlen(word)))
            guard let kept = without(text) else { continue }
            unsafe memset(word, 0, text.count)
            for (place, character) in kept.enumerated() { unsafe word[place] = character }
        }
    }

    /// The word without its password; `nil` where it has none.
    static func without(_ word: [CChar]) -> [CChar]? {
        let bytes = word.map { UInt8(bitPattern: $0) }
        guard let start = bytes.firstRange(of: Array(scheme.utf8))?.upperBound,
            let at = bytes.lastIndex(of: UInt8(ascii: "@")), start <= at,
            let colon = bytes[start..<at].firstIndex(of: UInt8(ascii: ":"))
        else { return nil }
        return Array(word[..<colon] + word[at...])
    }
}

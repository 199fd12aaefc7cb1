/// What a sound file's header says and the file does not keep: it was cut off.
///
/// libsndfile plays such a file as far as it goes, and only says so in its log: `data : 768000 (should be 383960)`. The log
/// has room for 2047 bytes: long texts and many markers before the samples fill it, and that line is missing.
package struct BrokenPromise: Equatable {
    package var promisedBytes: Int
    package var presentBytes: Int

    /// Finds one in libsndfile's log.
    package init?(log: String) {
        for line in log.split(whereSeparator: \.isNewline) {
            guard let promise = BrokenPromise(line: line), !Self.isPlaceholder(promise.promisedBytes) else { continue }
            self = promise
            return
        }
        return nil
    }

    /// Finds one in the chunks of a WAV, AIFF or CAF file, from its first byte on.
    init?(chunksOf file: some FileBytes) {
        guard let samples = FileChunks(file)?.samples, !Self.isPlaceholder(samples.size) else { return nil }
        promisedBytes = samples.size
        presentBytes = file.length - samples.content
        guard promisedBytes > presentBytes else { return nil }
    }

    /// How long libsndfile's log is at most: one as long may lack lines.
    static let fullLogBytes = 2047

    /// The size of the chunk of samples in WAV, AIFF and AU; of the whole in W64 (`riff`) and RF64 (`Riff size`).
    /// The size of the whole of a WAV file (`RIFF`) does not count: what is missing may be a chunk of comments.
    private static let names: Set<String> = ["data", "SSND", "Data Size", "riff", "Riff size"]

    private init?(line: Substring) {
        let parts = line.split(separator: ":", maxSplits: 1)
        // Without the blanks that set it in columns.
        guard parts.count == 2, Self.names.contains(parts[0].split(separator: " ").joined(separator: " ")) else {
            return nil
        }
        let words = parts[1].split(separator: " ")
        guard words.count == 4, words[1] == "(should", words[2] == "be", words[3].last == ")",
            let promised = Int(words[0]), let present = Int(words[3].dropLast()), promised > present
        else { return nil }
        promisedBytes = promised
        presentBytes = present
    }

    /// Programs that write to a pipe do not know the length and put in the largest that there is, more or less: of
    /// 31 bits (sox, arecord) or of 32 (ffmpeg), or, where the field has 64 bits, one that no file can have. Nothing is
    /// missing there.
    package static func isPlaceholder(_ bytes: Int) -> Bool {
        (0x7fff_0000...0x8000_0000).contains(bytes) || (0xffff_0000...0xffff_ffff).contains(bytes) || bytes >= 1 << 62
    }
}

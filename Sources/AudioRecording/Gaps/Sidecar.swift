import AudioFiles
import FoundationEssentials
import Glibc
import Threads

/// The file beside a recording that lists its segments, its gaps and where the server freewheeled: `take.wav.json`.
///
/// It is replaced as a whole each time (`DraftFile`): a kill at any instant leaves the one before or the new one. No link is followed.
struct Sidecar {
    /// What is said before the list of gaps.
    struct Head: Encodable {
        struct Start: Encodable {
            var wallTime: String
            var monotonicNanoseconds: UInt64
        }

        struct Segment: Encodable {
            var path: String
            /// Where each channel has a file of its own, all of them.
            var paths: [String]?
            var sampleRate: Int
            var channels: Int
            /// Its first frame, counted through the files before it, without what they overlap.
            var startFrame: Int
            /// When that was, in UTC as ISO 8601 has it, with microseconds.
            var wallTime: String
            /// Of JACK's transport, its first frame; absent where the recording does not go with that.
            var transportFrame: Int?
            var frames: Int
        }

        /// A place that somebody has named.
        struct Mark: Encodable {
            var segment: Int
            var frame: Int
            var label: String
        }

        var schema = "iounit.recording/1"
        var gapFill: String
        var onRateChange: String
        var start: Start
        /// Why the sound of another rate is converted although `onRateChange` is `split`; absent where it is not.
        var conversionReason: String?
        var segments: [Segment]
        /// Where and why each take began: what comes before, in the first of its files, is pre-roll.
        var takes: [RecordedStart]
        /// Takes that are not listed, because there are too many.
        var omittedTakes: Int
        var marks: [Mark]
        /// Marks that are not listed, because there are too many.
        var omittedMarks: Int
        /// Where frames were rendered in another time than they last. None of them is missing.
        var freewheels: [FreewheelSpan]
        /// Spans that are not listed, because there are too many.
        var omittedFreewheels: Int
        /// Gaps that are not listed, because there are too many.
        var omittedGaps: Int
    }

    let path: String
    /// Whether it was written.
    private(set) var exists = false
    /// Whether there was one before, which is to go.
    private var replacesOld = false
    /// A line for each gap, because to encode all of them again for each one would take longer and longer.
    private var lines: [String] = []

    /// Of the list beside a recording.
    static func path(of recording: String) -> String { "\(recording).json" }

    /// - Throws: `exists`, `cannotCreate`: of whatever is there already, only a regular file or a link goes, and only with
    ///   `force`.
    init(recording: String, force: Bool) throws(SoundFileError) {
        path = Self.path(of: recording)
        var facts = stat()
        guard unsafe lstat(path, &facts) == 0 else {
            // Found out now, and not after hours with the first gap.
            guard errno == ENAMETOOLONG else { return }
            throw failure(.cannotCreate, "its name would be too long; choose a shorter one for the recording")
        }
        let kind = facts.st_mode & S_IFMT
        guard kind == S_IFREG || kind == S_IFLNK else {
            throw failure(.cannotCreate, "it is no regular file; name another recording")
        }
        guard force else {
            throw failure(
                .exists, "there is a list of gaps of that name; choose another, or overwrite both with --force")
        }
        replacesOld = true
    }

    /// Removes one that was there before. When the recording itself replaces an older one.
    mutating func removeOld() {
        if replacesOld { _ = unsafe unlink(path) }
        replacesOld = false
    }

    /// Takes another gap, or the last one again.
    mutating func note(_ gap: RecordedGap, at index: Int) throws(SoundFileError) {
        let line = try encode(gap)
        if index < lines.count { lines[index] = line } else { lines.append(line) }
    }

    /// Puts what is known into the file.
    ///
    /// - Throws: `exists` where somebody made a file of that name meanwhile, `io`.
    mutating func save(_ head: Head) throws(SoundFileError) {
        let text = "\(try encode(head).dropLast()),\"gaps\":[\n\(lines.joined(separator: ",\n"))\n]}\n"
        guard var draft = DraftFile(in: AT_FDCWD, path.lastIndex(of: "/").map { String(path[...$0]) } ?? "") else {
            throw failure(.io, "it cannot be written (\(FileError.reason))")
        }
        defer { close(draft.descriptor) }
        guard WholeWrite.write(Array(text.utf8), to: draft.descriptor), WholeWrite.hasArrived(at: draft.descriptor)
        else {
            let reason = FileError.reason
            draft.remove()
            throw failure(.io, "it cannot be written (\(reason)); is the disk full?")
        }
        guard draft.claim(path, replacing: exists) else {
            let reason = FileError.reason
            draft.remove()
            throw failure(.io, "it cannot be written (\(reason))")
        }
        exists = true
    }

    private func encode(_ value: some Encodable) throws(SoundFileError) -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        do {
            return String(decoding: try encoder.encode(value), as: UTF8.self)
        } catch {
            throw failure(.io, "it cannot be encoded (\(error))")
        }
    }

    private func failure(_ kind: SoundFileError.Kind, _ reason: String) -> SoundFileError {
        SoundFileError(kind, "list the gaps in", path, reason)
    }
}

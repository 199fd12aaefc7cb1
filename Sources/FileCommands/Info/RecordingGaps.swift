import AudioRealtime
import AudioReports
import CommandSyntax
import Threads

/// What the file beside a recording says is missing in it.
struct RecordingGaps: Reported {
    private static let schema = "iounit.recording/1"
    /// The longest list that a recording makes has 100 000 gaps of 230 bytes; the rest is for its files and what else it tells.
    private static let longestBytes = 32 << 20

    /// So many lists of a folder are looked through.
    private static let mostLists = 1000

    var path: String
    private let sidecar: Sidecar

    /// Gaps that are no pauses, and those that were asked for.
    private var places: [Gap] { sidecar.gaps.filter { !$0.isWanted } }
    private var pauses: [Gap] { sidecar.gaps.filter(\.isWanted) }
    var gaps: Int { places.count }
    private var files: Int { sidecar.segments.count }

    static let fields: [ReportField<Self>] = [
        .field("path", "of the list", \.path),
        .field("files", "of the whole recording, which these figures are of", \.files),
        .field("gapFill", "silence or cut: what became of the gaps", \.sidecar.gapFill),
        .field("startWallTime", "the first frame's, in UTC", \.sidecar.start.wallTime),
        .field("gaps", "without pauses", \.gaps),
        .field("lostSeconds", "the length of these gaps", unit: .seconds) { seconds($0.places) },
        .field("pauses", "gaps that were asked for", \.pauses.count),
        .field("pausedSeconds", "the length of these", unit: .seconds) { seconds($0.pauses) },
        .field("omittedGaps", "gaps and pauses beyond the list, which no other figure counts", \.sidecar.omittedGaps),
    ]

    /// As the list has it.
    struct Gap: Decodable {
        /// The number of the file, from 1.
        var segment: Int
        /// The first frame in it.
        var frame: Int
        /// Frames of silence in its stead.
        var filledFrames: Int
        var cause: String
        var lengthNanoseconds: UInt64
        /// When it began.
        var monotonicNanoseconds: UInt64?
        fileprivate var isWanted: Bool { GapCause(rawValue: cause)?.isWanted == true }
    }

    private struct Sidecar: Decodable {
        struct Start: Decodable {
            var wallTime: String
            var monotonicNanoseconds: UInt64?
        }
        struct Segment: Decodable {
            var path: String
            var paths: [String]?
        }
        var gapFill: String
        var start: Start
        var segments: [Segment]
        var gaps: [Gap]
        var omittedGaps: Int
    }

    private struct Head: Decodable { var schema: String }

    private struct AnyJSON: Decodable {
        init(from decoder: any Decoder) {}
    }

    /// Looks for the list of a recording, or of the whole of which it is a later file.
    ///
    /// - Throws: `malformed`.
    static func find(of recording: String) throws(FileError) -> RecordingGaps? {
        if let own = try RecordingGaps(at: "\(recording).json") { return own }
        let file = FilePath(recording)
        let folder = FilePath(FilePath(file.absolute).folder)
        let names = Folder.names(in: folder.text) ?? []
        // It lies beside the first file, which is of the same kind as this one.
        let ending = file.fileExtension.isEmpty ? ".json" : ".\(file.fileExtension).json"
        // All together cost no more than one of the longest.
        var bytesLeft = longestBytes
        var failure: FileError?
        for name in names.filter({ $0.hasSuffix(ending) }).sorted().prefix(mostLists) {
            let path = folder.appending(name)
            guard let bytes = InfoReport.File.bytes(path), bytes <= bytesLeft else { continue }
            bytesLeft -= bytes
            do throws(FileError) {
                guard let list = try RecordingGaps(at: path) else { continue }
                if list.segmentNames.contains(where: { $0.contains(file.name) }) { return list }
            } catch {
                // Broken; by its name it is that of the first file, as take.wav.json is beside take-2.wav.
                let first = "\(name.dropLast(ending.count))-"
                if file.name.hasPrefix(first), file.name.dropFirst(first.count).first?.isNumber == true {
                    failure = failure ?? error
                }
            }
        }
        if let failure { throw failure }
        return nil
    }

    /// `nil` where there is no such file, or JSON of another program's.
    ///
    /// - Throws: `malformed`: a file of this name that tells nothing is no sign that nothing is missing.
    private init?(at path: String) throws(FileError) {
        func unknown(_ reason: String) -> FileError {
            .malformed(path: path, line: 1, reason: "\(reason); gaps are not known")
        }
        guard let bytes = InfoReport.File.bytes(path) else { return nil }
        guard bytes > 0 else { throw unknown("it is empty") }
        guard bytes <= Self.longestBytes else { throw unknown("it is longer than any list of gaps") }
        self.path = path
        let text = SmallFile.text(path, limit: Self.longestBytes)
        guard let head: Head = decodeJSON(text) else {
            guard (decodeJSON(text) as AnyJSON?) != nil else {
                throw unknown("it is no JSON; if it is a list of gaps, it was cut off")
            }
            return nil
        }
        guard head.schema == Self.schema else {
            guard head.schema.hasPrefix("iounit.recording/") else { return nil }
            throw unknown("it is a list of another version of iounit (\(shown(head.schema)))")
        }
        guard let sidecar: Sidecar = decodeJSON(text) else { throw unknown("it is no list of gaps, though it says so") }
        self.sidecar = sidecar
        if let impossible { throw unknown(impossible) }
    }

    /// What cannot be of the list, as of one that somebody edited: more time lost than passed, above all.
    private var impossible: String? {
        let gaps = sidecar.gaps
        if let gap = gaps.first(where: { !(1...max(1, files) ~= $0.segment) }) {
            return "it tells of a gap in file \(gap.segment) of \(files)"
        }
        if gaps.contains(where: { $0.frame < 0 || $0.filledFrames < 0 }) {
            return "it tells of a gap that begins before its file, or has less than no length"
        }
        // The others are counted in frames, which go by in less time than they last where the server freewheels.
        let timed = gaps.filter { ["reset", "restart", "late"].contains($0.cause) }
        let ends = timed.compactMap { gap in gap.monotonicNanoseconds.map { Double($0) + Double(gap.lengthNanoseconds) }
        }
        guard let start = sidecar.start.monotonicNanoseconds, let end = ends.max() else { return nil }
        let passed = max(0, end - Double(start)) / 1e9
        // Clocks are read at other times than gaps begin.
        guard Self.seconds(timed) > passed * 1.01 + 1 else { return nil }
        return
            "its gaps last \(fixed(Self.seconds(timed), 3)) s, and only \(fixed(passed, 3)) s passed until the last one's end"
    }

    /// The names of each of its files, without their folders.
    private var segmentNames: [Set<String>] {
        sidecar.segments.map { segment in Set((segment.paths ?? [segment.path]).map { FilePath($0).name }) }
    }

    /// The gaps in one of its files.
    func places(in recording: String) -> [Gap] {
        let name = FilePath(recording).name
        // A file that was given another name is the only one that it can be.
        let segment = files == 1 ? 1 : (segmentNames.firstIndex { $0.contains(name) }.map { $0 + 1 } ?? 1)
        return places.filter { $0.segment == segment && $0.frame >= 0 && $0.filledFrames >= 0 }
    }

    private static func seconds(_ gaps: [Gap]) -> Double {
        gaps.reduce(0) { $0 + Double($1.lengthNanoseconds) } / 1e9
    }

    var words: String {
        var words = "\(counted(gaps, "gap")), \(fixed(Self.seconds(places), 3)) s lost"
        if !pauses.isEmpty {
            words += ", \(counted(pauses.count, "pause")) of \(fixed(Self.seconds(pauses), 3)) s"
        }
        if sidecar.omittedGaps > 0 { words += ", \(sidecar.omittedGaps) more not listed" }
        if files > 1 { words += ", in \(files) files" }
        return "\(words), see \(shown(path))"
    }
}

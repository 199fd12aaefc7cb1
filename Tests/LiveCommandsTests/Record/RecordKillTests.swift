import AudioFiles
import CommandTestSupport
import Foundation
import TestSupport
import Testing

/// `iounit record` that is killed, and what its files have then.
@Suite("A recording of many kinds that is killed", .serialized, .ownServers) struct RecordKillTests {
    private let folder: TemporaryFolder
    init() throws { folder = try TemporaryFolder() }

    private static let kinds = ["wav", "rf64", "w64", "caf", "aiff", "au", "flac", "ogg", "opus", "mp3"]
    /// What a kind may lack of its last file, in frames: a block, or a page.
    private static let missing = ["flac": 8192, "ogg": 24_000, "opus": 9600, "mp3": 4608]
    /// Bytes of the headers of the kinds that some programs read to the end, whatever the header says.
    private static let headers = ["au": 24, "w64": 136]

    private func files(_ kind: String) -> [String] {
        folder.names.filter { $0.hasSuffix(".\(kind)") }.sorted { ($0.count, $0) < ($1.count, $1) }
    }

    /// Frames that can be read.
    private func frames(_ name: String) throws -> Int {
        guard let reader = try? SoundFileReader(path: folder(name)) else { return 0 }
        var count = 0
        var samples = [Float](repeating: 0, count: 4096 * reader.channels)
        while true {
            let read = try reader.read(4096, into: &samples)
            guard read > 0 else { return count }
            count += read
        }
    }

    /// Frames that there are behind the header, of the kinds in `headers`.
    private func samples(_ name: String) -> Int? {
        let kind = (name as NSString).pathExtension
        guard let header = Self.headers[kind],
            let size = try? FileManager.default.attributesOfItem(atPath: folder(name))[.size] as? Int
        else { return nil }
        return (size - header) / 8
    }

    private func framesForOthers(_ name: String) throws -> Int {
        let heard = try CommandRun.tool("sh", "-c", "ffmpeg -v quiet -i '\(folder(name))' -f f32le - | wc -c")
        return try #require(Int(heard.out.trimmingCharacters(in: .whitespacesAndNewlines))) / 8
    }

    @Test(arguments: [SIGUSR1, SIGUSR2]) func `is whole where a signal that controls it comes on its way out`(
        number: Int32
    ) throws {
        let run = try CommandRun(["record", "--dummy", "--period", "4096", folder("a.ogg"), "--json"])
        try run.wait(until: "it records") { (try? frames("a.ogg")) ?? 0 > 0 }
        run.send(SIGTERM)
        // When the end begins nobody says, so that the signal is sent all the way: 60 s at the most.
        let deadline = Date(timeIntervalSinceNow: 60)
        while run.isRunning, Date() < deadline {
            run.send(number)
            usleep(2000)
        }
        #expect(try run.end() == -SIGTERM, "\(run.err)")
        #expect(try object(run.out)["endedWithoutServer"] as? Bool == false)
        for name in files("ogg") { #expect(try SoundFile(reading: folder(name)).frames > 0, "\(name)") }
    }

    @Test(arguments: [0.3, 0.75, 1.4])
    func `has all files whole, the last up to its last block, and a list that can be read`(seconds: Double) throws {
        let run = try CommandRun(
            ["record", "--dummy", "--gaps", "cut", "--split", "0.5s"] + Self.kinds.map { folder("a.\($0)") })
        // Each recorder has its own worker, which may be held up for longer than the time before the kill.
        try run.wait(until: "all record that hold no block back") {
            Self.kinds.prefix(6).allSatisfy { (try? frames("a.\($0)")) ?? 0 > 0 }
        }
        usleep(UInt32(seconds * 1e6))
        run.send(SIGKILL)
        #expect(try run.end() == -SIGKILL)
        let least = try Self.kinds.prefix(6).map { try files($0).reduce(0) { try $0 + frames($1) } }.min() ?? 0
        #expect(least > 0)
        for kind in Self.kinds {
            let names = files(kind)
            #expect(names.count >= 1, "\(kind)")
            let lack = Self.missing[kind] ?? 0
            for (index, name) in names.dropLast().enumerated() {
                let heard = try frames(name)
                // A file is finished when the next has begun, and the kill may lie between.
                let least = index == names.count - 2 ? 24_000 - lack : 24_000
                #expect(heard >= least && heard <= 24_000, "\(name): \(heard)")
                #expect(try framesForOthers(name) >= least - 4608, "\(name)")
            }
            let last = try #require(names.last)
            let heard = try frames(last)
            #expect(heard <= 24_000 + lack, "\(last)")
            // By another program the same, but for what an encoder has added or its decoder leaves out. The kill may lie between
            // samples and the header that counts them: then one program believes the header, and the other reads all.
            let others = try framesForOthers(last)
            let isOfAll = max(others, heard) == samples(last)
            #expect(abs(others - heard) <= lack || isOfAll, "\(last): \(others) for ffmpeg, \(heard) for us")
            // The list comes after the second file, and tells of later ones when there is time for it.
            let path = folder("a.\(kind).json")
            guard names.count > 2 || FileManager.default.fileExists(atPath: path) else { continue }
            let list = try object(String(contentsOfFile: path, encoding: .utf8))
            let segments = try #require(list["segments"] as? [[String: Any]])
            #expect((1...names.count).contains(segments.count), "\(kind)")
        }
        // The kill may lie between the two steps by which a list takes the place of the last one, of each recorder.
        #expect(folder.names.count { $0.hasPrefix(".") } <= Self.kinds.count, "\(folder.names)")
    }
}

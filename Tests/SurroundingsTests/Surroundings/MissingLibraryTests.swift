import CommandTestSupport
import Foundation
import TestSupport
import Testing
import Threads

@Suite("A library that only some runs need")
struct MissingLibraryTests {
    /// A folder that the loader looks into first, with files in it that are no libraries.
    private func folder(_ files: [String]) throws -> TemporaryFolder {
        let folder = try TemporaryFolder()
        for file in files { try Data("none".utf8).write(to: URL(fileURLWithPath: folder(file))) }
        return folder
    }

    private static let runs: [(OptionalLibrary, [String])] = [
        (.libpng, ["picture", "/none.wav"]),
        (.liblilv, ["plugin", "list"]),
        (.liblo, ["monitor", "--dummy", "--osc", "0", "--seconds", "1"]),
        (.libwebrtc, ["monitor", "--dummy", "--voice", "webrtc", "--seconds", "1"]),
        (.libspeexdsp, ["monitor", "--dummy", "--voice", "speex", "--seconds", "1"]),
        (.libwebsockets, ["serve", "--dummy", "--seconds", "1"]),
        (.libshout, ["send", "icecast://source:word@127.0.0.1:1/x.opus", "--dummy", "--seconds", "1"]),
    ]

    @Test(arguments: OptionalLibrary.allCases)
    func `that is missing is named, with the package that has it`(_ library: OptionalLibrary) throws {
        let words = try #require(Self.runs.first { $0.0 == library }?.1)
        let folder = try folder([library.file])
        let run = try CommandRun(words, environment: ["LD_LIBRARY_PATH": folder.path])
        #expect(try run.end() == 69, "\(run.err)")
        #expect(run.err.contains("\(library.file) cannot be loaded ("), "\(run.err)")
        #expect(run.err.contains("apt-get install \(library.package)"), "\(run.err)")
    }

    /// What every installation has, and is loaded as late.
    private static let required = [
        "libFLAC.so.12", "libmp3lame.so.0", "libmpg123.so.0", "libopus.so.0", "libsamplerate.so.0", "libsndfile.so.1",
        "libsoxr.so.0",
    ]

    @Test func `that every installation has is named too, where it is broken`() throws {
        let folder = try folder(["libsndfile.so.1"])
        let run = try CommandRun(["info", "/usr/bin/env"], environment: ["LD_LIBRARY_PATH": folder.path])
        #expect(try run.end() == 69, "\(run.err)")
        #expect(run.err.hasPrefix("iounit: libsndfile.so.1 cannot be loaded ("), "\(run.err)")
    }

    @Test func `is not loaded by others`() throws {
        let libraries = OptionalLibrary.allCases.map(\.file)
        let folder = try folder(libraries)
        let run = try CommandRun(
            ["monitor", "--dummy", "--source", "tone", "--seconds", "0.2"],
            environment: ["LD_LIBRARY_PATH": folder.path, "LD_DEBUG": "libs", "LD_DEBUG_OUTPUT": folder("log")])
        #expect(try run.end() == 0, "\(run.err)")
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.hasPrefix("log") }
        // One of each program: the server has libraries of its own.
        let logs = try names.map { try String(contentsOfFile: folder($0), encoding: .utf8) }
        let log = try #require(logs.first { $0.contains("find library=libebur128.so") })
        #expect(log.contains("find library=libjack.so.0"))
        for library in libraries + Self.required { #expect(!log.contains("find library=\(library) "), "\(library)") }
    }
}

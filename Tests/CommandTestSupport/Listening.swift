import Foundation
import Jack
import TestSupport
import Testing

/// A run of `iounit play`, and a recording of what another program hears of it on the same server. Time that the server loses
/// is not filled in there: the player goes on where it was, and what it plays stays whole.
package final class Listening {
    package let play: CommandRun
    private let ear: CommandRun
    private let folder: TemporaryFolder
    private let path: String

    /// - Parameter server: in sync mode and patient, so that no cycle of a client is left out.
    package init(
        on server: Server, channels: Int = 2, _ words: [String], environment: [String: String] = [:],
        input: FileHandle = .nullDevice
    ) throws {
        folder = try TemporaryFolder()
        path = folder("heard.wav")
        ear = try CommandRun([
            "monitor", "--server", server.name, "--name", "ear", "--channels", "\(channels)", "--no-connect",
            "--bypass", "--record", path, "--gaps", "cut", "--loudness", "off",
        ])
        let path = path
        try ear.wait(until: "it listens") {
            bytesOnDisk(path) > 4096
        }
        play = try CommandRun(
            ["play", "--server", server.name, "--name", "deck", "--output", "^ear:in_", "--json"] + words,
            environment: environment, input: input)
    }

    package static func server() throws -> Server {
        var configuration = ServerConfiguration()
        configuration.isSync = true
        configuration.isPatient = true
        configuration.periodFrames = 256
        return try Server(configuration)
    }

    /// Waits until so much is in the recording that is not silent: what has been heard, however late a busy machine begins.
    package func wait(toHear frames: Int, _ location: SourceLocation = #_sourceLocation) throws {
        try play.wait(until: "\(frames) frames were heard", location) {
            (try? SoundFile(reading: path, location))?.channels[0].count { $0 != 0 } ?? 0 >= frames
        }
    }

    /// Waits until something was heard, and then nothing for some periods.
    package func waitForSilence(_ location: SourceLocation = #_sourceLocation) throws {
        try play.wait(until: "silence behind the sound", location) {
            guard let heard = (try? SoundFile(reading: path, location))?.channels[0] else { return false }
            return heard.suffix(1024).allSatisfy { $0 == 0 } && heard.contains { $0 != 0 }
        }
    }

    /// Waits for the end with a code; returns the report, and what was heard from the first sample on that is not silent to the
    /// last.
    package func end(
        _ code: Int32 = 0, _ location: SourceLocation = #_sourceLocation
    ) throws -> (report: [String: Any], heard: SoundFile) {
        #expect(try play.end(location) == code, "\(play.err)", sourceLocation: location)
        ear.send(SIGINT)
        #expect(try ear.end(location) == -SIGINT, "\(ear.err)", sourceLocation: location)
        let whole = try SoundFile(reading: path, location)
        let sounding = (0..<whole.frames).filter { frame in whole.channels.contains { $0[frame] != 0 } }
        let range = (sounding.first ?? 0)..<((sounding.last ?? -1) + 1)
        return (
            try object(play.out, location),
            SoundFile(sampleRate: whole.sampleRate, channels: whole.channels.map { Array($0[range]) })
        )
    }
}

/// What a report tells of a file.
package func playedFile(_ report: [String: Any], _ number: Int, at location: SourceLocation = #_sourceLocation) throws
    -> [String: Any]
{
    let files = try #require(report["files"] as? [[String: Any]], sourceLocation: location)
    return try #require(files.indices.contains(number) ? files[number] : nil, sourceLocation: location)
}

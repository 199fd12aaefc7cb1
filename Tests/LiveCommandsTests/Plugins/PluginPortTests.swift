import CommandTestSupport
import Foundation
import Jack
import TestSupport
import Testing

/// The MIDI ports of a run with plug-ins, by one that makes notes of samples and samples of notes.
@Suite("The MIDI ports of --plugin", .serialized, .ownServers) struct PluginPortTests {
    private let folder: TemporaryFolder
    private let bundle: TemporaryFolder
    init() throws {
        folder = try TemporaryFolder()
        bundle = try ProbeBundle.folder("echo")
    }

    private func command(_ words: [String]) throws -> CommandRun {
        try CommandRun(words, environment: ["LV2_PATH": bundle.path, "XDG_CONFIG_HOME": folder.path])
    }

    @Test func `notes go from one unit to the plug-ins of another, each at its frame`() throws {
        let server = try Listening.server()
        defer { server.stop() }
        let ear = try command([
            "record", "--server", server.name, "--name", "ear", "--no-connect", "--json", "--gaps", "cut", "--plugin",
            "echo/echo", folder("a.wav"),
        ])
        try ear.wait(until: "it records") { ear.err.contains("recording") }
        // A note's number in parts of 128 at frames that no period has in common.
        let places = (0..<60).map { 5000 + $0 * 391 }
        var signal = [Float](repeating: 0, count: 30_000)
        for (number, place) in places.enumerated() { signal[place] = Float(number + 30) / 256 }
        try SoundFile(sampleRate: 48_000, channels: [signal, signal]).write(folder("notes.wav"))
        let deck = try command([
            "play", "--server", server.name, "--name", "deck", "--output", "^ear:in_", "--midi", "--midi-port",
            "^ear:midi_in$", "--plugin", "echo/echo", "--freewheel", "--json", folder("notes.wav"),
        ])
        #expect(try deck.end() == 0, "\(deck.err)")
        ear.send(SIGINT)
        #expect(try ear.end() == -SIGINT, "\(ear.err)")
        // The sound of the deck's plug-in comes to the other, and a note of half its number where it is, and they stand as far
        // apart as before: a server that freewheels leaves no cycle of a client out, however busy the machine is.
        let heard = try SoundFile(reading: folder("a.wav"))
        for channel in heard.channels {
            let loud = channel.indices.filter { channel[$0] != 0 }
            #expect(loud.count == places.count)
            #expect(zip(loud.dropFirst(), loud).allSatisfy { $0 - $1 == 391 })
            for (number, place) in loud.enumerated() {
                let sample = Float(number + 30) / 256
                #expect(channel[place] == sample + (sample * 128).rounded(.toNearestOrEven) / 128)
            }
        }
        for (report, sent, received) in [(deck.out, 60, 0), (ear.out, 120, 60)] {
            let report = try object(report)
            let midi = try #require(report["midi"] as? [String: Any])
            #expect(midi["received"] as? Int == received && midi["dropped"] as? Int == 0, "\(midi)")
            #expect(midi["unsent"] as? Int == 0 && midi["sent"] as? Int ?? 0 >= sent / 2, "\(midi)")
            let plugin = try #require((report["plugins"] as? [[String: Any]])?.first)
            #expect(plugin["lostMessages"] as? Int == 0)
        }
    }

    @Test func `are there for a plug-in with MIDI alone, and not for others`() throws {
        for (plugin, hasPorts) in [("eg-fifths/eg-fifths", true), ("eg-amp/eg-amp", false)] {
            let server = try Listening.server()
            defer { server.stop() }
            let run = try CommandRun([
                "monitor", "--server", server.name, "--no-connect", "--json", "--plugin", plugin,
            ])
            let watcher = try Client(name: "watcher", server: server.name)
            // It has made all its ports when it writes the first line of its log.
            try run.wait(until: "it runs") { run.err.contains("interval ") }
            #expect(watcher.port(named: "iounit:out_2") != nil)
            #expect((watcher.port(named: "iounit:midi_in") != nil) == hasPorts)
            #expect((watcher.port(named: "iounit:midi_out") != nil) == hasPorts)
            run.send(SIGINT)
            #expect(try run.end() == -SIGINT, "\(run.err)")
            #expect((try object(run.out)["midi"] is NSNull) == !hasPorts)
        }
    }
}

import CommandTestSupport
import Foundation
import TestSupport
import Testing

/// A PipeWire of a test's own: in a runtime folder of its own, without a session bus, with a null sink in place of a card.
final class PipeWireServer {
    private let folder: TemporaryFolder
    private let library: String
    private var process: CommandRun?

    init() throws {
        folder = try TemporaryFolder()
        library = try Self.findLibrary()
        try Self.configuration.write(toFile: folder("test.conf"), atomically: true, encoding: .utf8)
        try start()
    }

    /// PipeWire's libjack, which `Tools/setup --tests` installs.
    private static func findLibrary() throws -> String {
        for machine in (try? FileManager.default.contentsOfDirectory(atPath: "/usr/lib")) ?? [] {
            let path = "/usr/lib/\(machine)/pipewire-0.3/jack"
            if FileManager.default.fileExists(atPath: "\(path)/libjack.so.0") { return path }
        }
        throw DidNotHappen(description: "PipeWire's libjack is not installed; run Tools/setup --tests")
    }

    /// For programs that are to find this PipeWire, and for those of them that use libjack.
    var environment: [String: String] { runtime.merging(["LD_LIBRARY_PATH": library]) { $1 } }

    /// For programs that are to find this PipeWire, and use jackd's libjack.
    var runtime: [String: String] {
        [
            "XDG_RUNTIME_DIR": folder.path, "PIPEWIRE_RUNTIME_DIR": folder.path, "PIPEWIRE_REMOTE": "pipewire-0",
            "PIPEWIRE_NO_CONFIG": "true", "DBUS_SESSION_BUS_ADDRESS": "disabled:",
        ]
    }

    func start() throws {
        process = try CommandRun(
            ["pipewire", "-c", folder("test.conf")], program: "/usr/bin/env", environment: runtime)
        try process?.wait(until: "PipeWire has its sink") {
            Set(ports()).isSuperset(of: ["sink:playback_FR", "sink:monitor_FR"])
        }
    }

    func end(by signal: Int32) throws {
        process?.send(signal)
        _ = try process?.end()
        process = nil
    }

    /// All ports, seen by another program.
    func ports() -> [String] {
        let run = try? CommandRun(["jack_lsp"], program: "/usr/bin/env", environment: environment)
        return (try? run?.end()) == 0 ? (run?.out.split(separator: "\n").map(String.init) ?? []) : []
    }

    /// Starts the command on it.
    func iounit(_ words: [String]) throws -> CommandRun { try CommandRun(words, environment: environment) }

    /// Changes one of its settings while it runs, as `clock.force-rate`.
    func set(_ setting: String, to value: Int) throws {
        let run = try CommandRun(
            ["pw-metadata", "-n", "settings", "0", setting, "\(value)"], program: "/usr/bin/env",
            environment: runtime)
        #expect(try run.end() == 0, "\(run.err)")
    }

    /// The drivers are those that PipeWire's own configuration has for JACK programs.
    private static let configuration = """
        context.properties = {
            core.daemon = true
            core.name = pipewire-0
            support.dbus = false
            link.max-buffers = 16
            default.clock.rate = 48000
            default.clock.allowed-rates = [ 44100 48000 96000 ]
            default.clock.quantum = 256
            default.clock.min-quantum = 16
            default.clock.max-quantum = 8192
        }
        context.spa-libs = {
            audio.convert.* = audioconvert/libspa-audioconvert
            support.* = support/libspa-support
        }
        context.modules = [
            { name = libpipewire-module-rt args = { nice.level = 0 } flags = [ ifexists nofail ] }
            { name = libpipewire-module-protocol-native }
            { name = libpipewire-module-metadata }
            { name = libpipewire-module-spa-node-factory }
            { name = libpipewire-module-client-node }
            { name = libpipewire-module-access }
            { name = libpipewire-module-adapter }
            { name = libpipewire-module-link-factory }
        ]
        context.objects = [
            { factory = metadata args = { metadata.name = default } }
            { factory = spa-node-factory args = {
                factory.name = support.node.driver node.name = Dummy-Driver node.group = pipewire.dummy
                priority.driver = 20000 } }
            { factory = spa-node-factory args = {
                factory.name = support.node.driver node.name = Freewheel-Driver node.group = pipewire.freewheel
                node.freewheel = true priority.driver = 19000 } }
            { factory = adapter args = {
                factory.name = support.null-audio-sink node.name = sink media.class = Audio/Sink
                audio.position = [ FL FR ] priority.driver = 30000
                adapter.auto-port-config = { mode = dsp monitor = true position = preserve } } }
        ]
        """
}

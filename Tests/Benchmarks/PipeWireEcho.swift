import Foundation
import Glibc
import Threads

/// PipeWire's module echo-cancel, in a graph of its own: a runtime folder of its own, without a session bus and without a session
/// manager, with a null sink in place of a card.
///
/// Nothing makes the module's ports where no session manager does. Here `pw-cli` does: it sets `PortConfig`, as WirePlumber would.
final class PipeWireEcho {
    /// Settings of its `webrtc` that leave nothing but the canceller, whose suppression is always high.
    static let echoAlone = """
        webrtc.noise_suppression = false webrtc.gain_control = false webrtc.high_pass_filter = false
        webrtc.voice_detection = false
        """

    private let folder: URL
    private let library: String
    private let runtime: [String: String]
    private var server: Peer?
    private static let ports = ["echo_near:input_MONO", "echo_far:playback_MONO", "echo_clean:capture_MONO"]

    /// - Parameter settings: of the library, as the module's `aec.args` takes them.
    init(in parent: URL, settings: String) throws {
        folder = parent.appendingPathComponent("pipewire")
        library = try Self.findLibrary()
        runtime = [
            "XDG_RUNTIME_DIR": folder.path, "PIPEWIRE_RUNTIME_DIR": folder.path, "PIPEWIRE_REMOTE": "pipewire-0",
            "PIPEWIRE_NO_CONFIG": "true", "DBUS_SESSION_BUS_ADDRESS": "disabled:",
        ]
        try? FileManager.default.removeItem(at: folder)
        try FileManager.default.createDirectory(
            at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        let file = folder.appendingPathComponent("echo.conf")
        try Self.configuration(settings).write(to: file, atomically: true, encoding: .utf8)
        server = try tool("pipewire", ["-c", file.path])
        for (node, direction) in [
            ("echo_near", "Input"), ("echo_far", "Input"), ("echo_clean", "Output"), ("echo_playback", "Output"),
        ] {
            try makePorts(of: node, direction)
        }
        try wait(for: "its ports") { Set(Self.ports).isSubset(of: try run("jack_lsp", [])) }
        _ = try run("pw-link", ["echo_playback:output_MONO", "sink:playback_FL"])
    }

    deinit { end() }

    func end() {
        server?.end()
        server = nil
    }

    /// Plays both ends to it, in real time.
    func process(_ near: [Float], _ far: [Float], _ program: URL) throws -> EchoScene.Clean {
        let files = try EchoFiles(folder, near, far)
        let before = try processorSeconds()
        let client = try Peer(program, files.paths + Self.ports, reading: .output, environment: environment)
        _ = try client.line(after: "ready")
        _ = try client.line(after: "cycles ")
        _ = try client.rest()
        return (try files.clean(), try processorSeconds() - before)
    }

    private var environment: [String: String] { runtime.merging(["LD_LIBRARY_PATH": library]) { $1 } }

    private static func findLibrary() throws -> String {
        for machine in (try? FileManager.default.contentsOfDirectory(atPath: "/usr/lib")) ?? [] {
            let path = "/usr/lib/\(machine)/pipewire-0.3/jack"
            if FileManager.default.fileExists(atPath: "\(path)/libjack.so.0") { return path }
        }
        throw Breakdown("PipeWire's libjack is not installed; run Tools/setup --tests")
    }

    private func tool(_ name: String, _ words: [String]) throws -> Peer {
        try Peer(URL(fileURLWithPath: "/usr/bin/env"), [name] + words, reading: .output, environment: environment)
    }

    private func run(_ name: String, _ words: [String]) throws -> [String] { try tool(name, words).rest() }

    private func makePorts(of node: String, _ direction: String) throws {
        var identifier: String?
        try wait(for: "its node \(node)") {
            var last: String?
            for line in try run("pw-cli", ["ls", "Node"]) {
                if let match = line.firstMatch(of: /^\s*id (\d+),/) { last = String(match.1) }
                if line.contains("node.name = \"\(node)\"") { identifier = last }
            }
            return identifier != nil
        }
        let form = "mediaType: audio, mediaSubtype: raw, format: F32P, rate: 48000, channels: 1, position: [ MONO ]"
        _ = try run(
            "pw-cli",
            [
                "set-param", identifier ?? "", "PortConfig",
                "{ direction: \(direction), mode: dsp, format: { \(form) } }",
            ])
    }

    private func wait(for what: String, until isThere: () throws -> Bool) throws {
        let deadline = MonotonicClock.nanoseconds() + 20_000_000_000
        while try !isThere() {
            guard MonotonicClock.nanoseconds() < deadline else {
                throw Breakdown("PipeWire has not made \(what) in 20 s")
            }
            usleep(50_000)
        }
    }

    /// Of the server, all threads.
    private func processorSeconds() throws -> Double {
        let path = "/proc/\(server?.identifier ?? 0)/stat"
        let text = try String(contentsOfFile: path, encoding: .utf8)
        // Behind the name, which may hold anything: the state is field 3, the times are 14 and 15.
        let fields = text.split(separator: ")").last?.split(separator: " ") ?? []
        guard fields.count > 12, let user = Double(fields[11]), let system = Double(fields[12]) else {
            throw Breakdown("\(path) does not say what PipeWire has used")
        }
        return (user + system) / Double(sysconf(Int32(_SC_CLK_TCK)))
    }

    private static func configuration(_ settings: String) -> String {
        func node(_ name: String) -> String {
            "{ node.name = \(name) node.description = \(name) audio.channels = 1 audio.position = [ MONO ] }"
        }
        return """
            context.properties = {
                core.daemon = true
                core.name = pipewire-0
                support.dbus = false
                link.max-buffers = 16
                default.clock.rate = 48000
                default.clock.allowed-rates = [ 48000 ]
                default.clock.quantum = 256
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
                { name = libpipewire-module-echo-cancel args = {
                    library.name = aec/libspa-aec-webrtc
                    audio.channels = 1
                    audio.position = [ MONO ]
                    aec.args = { \(settings) }
                    capture.props = \(node("echo_near"))
                    sink.props = \(node("echo_far"))
                    source.props = \(node("echo_clean"))
                    playback.props = \(node("echo_playback")) } }
            ]
            context.objects = [
                { factory = metadata args = { metadata.name = default } }
                { factory = spa-node-factory args = {
                    factory.name = support.node.driver node.name = Dummy-Driver node.group = pipewire.dummy
                    priority.driver = 20000 } }
                { factory = adapter args = {
                    factory.name = support.null-audio-sink node.name = sink media.class = Audio/Sink
                    audio.position = [ FL FR ] priority.driver = 30000
                    adapter.auto-port-config = { mode = dsp monitor = true position = preserve } } }
            ]
            """
    }
}

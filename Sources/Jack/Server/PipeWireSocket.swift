import Glibc
import Threads

/// The socket on which PipeWire listens for clients: where its own library looks for it (libpipewire 0.3,
/// module-protocol-native).
package enum PipeWireSocket {
    /// The first of these that is set names the folder.
    private static let variables = ["PIPEWIRE_RUNTIME_DIR", "XDG_RUNTIME_DIR", "HOME", "USERPROFILE"]
    /// Of a PipeWire that serves all users; asked where the user's own does not listen.
    private static let systemFolder = "/run/pipewire"

    /// In which the user's own appears.
    package static var folder: String { variables.lazy.compactMap(value).first ?? systemFolder }

    private static var paths: [String] {
        let name = value(of: "PIPEWIRE_REMOTE") ?? "pipewire-0"
        return name.hasPrefix("/") ? [name] : ["\(folder)/\(name)", "\(systemFolder)/\(name)"]
    }

    private static func value(of variable: String) -> String? {
        guard let text = Environment[variable] else { return nil }
        return text.isEmpty ? nil : text
    }

    /// Core::Hello, the first message of each client: its header (object 0, method 1 and the length in bytes, sequence 0, no
    /// descriptors), then a structure of one integer, the protocol's version 3.
    private static let hello: [UInt32] = [0, 1 << 24 | 24, 0, 0, 16, 14, 4, 4, 3, 0]

    /// Greets PipeWire: it answers when it has started completely, and where systemd listens in its place that starts it.
    /// Thread: any but audio.
    package static func knock(patienceMilliseconds: CInt) -> Knock {
        let greeting = unsafe hello.withUnsafeBytes { unsafe Array($0) }
        var best = Knock.absent
        for path in paths {
            let knock = Knock.answer(at: path, saying: greeting, patienceMilliseconds: patienceMilliseconds)
            if knock == .answered { return knock }
            if knock == .silent { best = knock }
        }
        return best
    }
}

import AudioReports
import CommandSyntax
import Glibc
import TerminalPages
import Threads

/// What the plug-ins of a session keep beside their parameters: a file of Turtle for each, beside the session's own.
struct SavedPluginStates {
    /// A state may hold samples or a text, and no more is read back.
    static let largestBytes = 4 << 20

    /// The session's.
    let folder: String

    /// - Parameter number: of the plug-in in the order of the path, from 1.
    func path(_ number: Int) -> String { "\(folder)/plugin-\(number).ttl" }

    /// Writes those that there are, and removes the files of the others.
    ///
    /// - Parameters:
    ///   - states: in the order of the path; `nil` for a plug-in that keeps nothing but its parameters.
    ///   - kept: places from 0 of those whose state could not be had: what was saved of them before stays.
    /// - Throws: `cannotCreate`, `inputOutput`.
    func save(_ states: [String?], keeping kept: Set<Int> = []) throws {
        for (index, state) in states.enumerated() where !kept.contains(index) {
            let path = path(index + 1)
            if let state {
                if state.utf8.count > Self.largestBytes {
                    StandardError.complain(
                        "\(shown(path)) is larger than \(Self.largestBytes >> 20) MiB and is not read back; save what the "
                            + "plug-in keeps by its own means")
                }
                try OutputFile(path, replacing: true, permissions: 0o600).finish(with: state)
            } else if unsafe unlink(path) != 0, errno != ENOENT {
                throw Failure(.inputOutput, "cannot remove \(shown(path)), an old state: \(FileError.reason)")
            }
        }
    }

    /// The saved state of a plug-in; `nil` where there is none. Where there is one that cannot be used, a message says so.
    func load(_ number: Int) -> String? {
        let path = path(number)
        guard unsafe access(path, F_OK) == 0 else { return nil }
        guard let text = SmallFile.text(path, limit: Self.largestBytes + 1) else {
            StandardError.complain("cannot read \(shown(path)): \(FileError.reason); the plug-in begins without it")
            return nil
        }
        guard text.utf8.count <= Self.largestBytes else {
            StandardError.complain(
                "\(shown(path)) is larger than \(Self.largestBytes >> 20) MiB; the plug-in begins without it")
            return nil
        }
        return text
    }
}

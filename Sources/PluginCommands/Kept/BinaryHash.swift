import PluginChecks
import Threads

/// What is in the binary of a plug-in, as SHA-256 in hexadecimal digits: by it a build that was checked is known again,
/// wherever it is installed.
enum BinaryHash {
    private static let program = "sha256sum"
    private static let deadlineSeconds = 60.0

    /// Of several files, by path. Those that cannot be read have none. Thread: any that may wait.
    ///
    /// - Throws: `cannotRead` where the program that computes it is missing or takes too long.
    static func all(of paths: some Sequence<String>) throws(FileError) -> [String: String] {
        let paths = Set(paths).filter { $0.hasPrefix("/") }.sorted()
        guard !paths.isEmpty else { return [:] }
        // Of the C library and Foundation none has it here, and coreutils are on every system. With zeros at the ends of lines
        // a path is what it is.
        let outcome = ChildProcess.run([program, "--zero", "--"] + paths, deadlineSeconds: deadlineSeconds)
        // 1 where a file cannot be read.
        guard case .exited(let code) = outcome.end, code <= 1 else {
            let reason =
                if case .notStarted(let text) = outcome.end { "\(text); install coreutils" } else {
                    "\(program): \(outcome.end.inWords); try again"
                }
            throw .cannotRead(path: paths[0], reason: reason)
        }
        let lines = outcome.bytes.split(separator: 0).compactMap { line -> (path: String, hash: String)? in
            let text = String(decoding: line, as: UTF8.self)
            guard let gap = text.firstRange(of: "  ") else { return nil }
            return (String(text[gap.upperBound...]), String(text[..<gap.lowerBound]))
        }
        return Dictionary(lines.map { ($0.path, $0.hash) }) { first, _ in first }
    }
}

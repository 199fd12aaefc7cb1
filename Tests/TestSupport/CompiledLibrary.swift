import Foundation
import Synchronization

/// What a test loads or preloads, compiled once for all tests of a process that ask for the same.
public enum CompiledLibrary {
    private static let made = Mutex<[[String]: Data]>([:])

    /// Puts a shared library at a path.
    ///
    /// - Parameter words: a compiler, by its name, what it reads and its options.
    public static func make(_ words: [String], at path: String) throws {
        let place = URL(fileURLWithPath: path)
        if let bytes = made.withLock({ $0[words] }) { return try bytes.write(to: place) }
        let build = words + ["-shared", "-fPIC", "-o", path]
        guard try Program.output(of: "/usr/bin/env", build) != nil else {
            throw DidNotHappen(description: "this did not compile: \(build.joined(separator: " "))")
        }
        let bytes = try Data(contentsOf: place)
        made.withLock { $0[words] = bytes }
    }
}

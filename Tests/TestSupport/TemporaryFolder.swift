import Foundation

/// A folder of a test's own, which is removed with what is in it.
public final class TemporaryFolder: Sendable {
    public let path: String

    public init() throws {
        // Short, so that the name of a file in it is seen in a terminal of 80 columns.
        let name = "iounit-\(UUID().uuidString.prefix(8))"
        path = FileManager.default.temporaryDirectory.appendingPathComponent(name).path
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    /// The path of something in the folder.
    public func callAsFunction(_ name: String) -> String { "\(path)/\(name)" }

    /// What is in the folder.
    public var names: [String] { (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? [] }
}

/// How long a file is so far; 0 where there is none.
public func bytesOnDisk(_ path: String) -> Int {
    (try? FileManager.default.attributesOfItem(atPath: path)[.size] as? Int) ?? 0
}

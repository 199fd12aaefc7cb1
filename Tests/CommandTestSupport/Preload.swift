import TestSupport

/// Functions in C that a program finds before those of the C library: as a machine that no real one can be persuaded to be.
package enum Preload {
    /// What a program's environment must have, so that it finds them.
    ///
    /// - Parameters:
    ///   - folder: for what is compiled.
    ///   - others: what they look at.
    package static func environment(
        _ code: String, in folder: TemporaryFolder, _ others: [String: String] = [:]
    ) throws -> [String: String] {
        let (source, library) = (folder("preload.c"), folder("preload.so"))
        try code.write(toFile: source, atomically: true, encoding: .utf8)
        try CompiledLibrary.make(["clang", source], at: library)
        return others.merging(["LD_PRELOAD": library]) { $1 }
    }
}

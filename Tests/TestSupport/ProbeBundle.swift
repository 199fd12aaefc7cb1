import Foundation

/// A plug-in of AudioPluginsTests/Bundles, compiled.
public enum ProbeBundle {
    /// A folder for `LV2_PATH` that has nothing else. The plug-in is `probe/probe` there, or has another name likewise.
    ///
    /// - Parameter options: of the compiler.
    public static func folder(_ name: String = "probe", options: [String] = []) throws -> TemporaryFolder {
        let folder = try TemporaryFolder()
        let source = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("../AudioPluginsTests/Bundles/\(name).lv2")
        try FileManager.default.copyItem(at: source, to: URL(fileURLWithPath: folder("\(name).lv2")))
        let words = ["clang", "-O1", "\(source.path)/\(name).c", "-lm"] + options
        try CompiledLibrary.make(words, at: folder("\(name).lv2/\(name).so"))
        return folder
    }
}

import Foundation

/// The plug-in of AudioPluginsTests/Bundles/probe.lv2, compiled.
public enum ProbeBundle {
    /// A folder for `LV2_PATH` that has nothing else. The plug-in is `probe/probe` there.
    public static func folder() throws -> TemporaryFolder {
        let folder = try TemporaryFolder()
        let source = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("../AudioPluginsTests/Bundles/probe.lv2")
        try FileManager.default.copyItem(at: source, to: URL(fileURLWithPath: folder("probe.lv2")))
        let arguments = [
            "clang", "-shared", "-fPIC", "-O1", "-o", folder("probe.lv2/probe.so"), folder("probe.lv2/probe.c"), "-lm",
        ]
        guard try Program.output(of: "/usr/bin/env", arguments) != nil else {
            throw DidNotHappen(description: "the probe cannot be compiled: clang is missing")
        }
        return folder
    }
}

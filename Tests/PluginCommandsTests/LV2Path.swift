import Foundation
import TestSupport

/// A machine on which only these of Debian's bundles are installed, as fomp: to look through all takes seconds.
struct LV2Path {
    private let folder: TemporaryFolder

    init(_ bundles: String...) throws {
        folder = try TemporaryFolder()
        for bundle in bundles {
            try FileManager.default.createSymbolicLink(
                atPath: folder("\(bundle).lv2"), withDestinationPath: "/usr/lib/lv2/\(bundle).lv2")
        }
    }

    var environment: [String: String] { ["LV2_PATH": folder.path] }
}

import Glibc
import Threads

/// The processors of a user's library (CheckedProcessors), described as plug-ins in a folder of their own as long as this value
/// is there.
package final class ProcessorBundle: Sendable {
    package let plugins: [InstalledPlugin]
    private let folder: String

    /// Has the library describe them, in a process of its own. Thread: any that may wait.
    ///
    /// - Parameter isInterrupted: asked 50 times a second; once it says yes, the process is ended.
    /// - Throws: `notFound` where there is no such file, `unreadable` where it offers no processors; `interrupted`.
    package init(
        library: String, _ probe: PluginProbe, isInterrupted: () -> Bool = { false }
    ) throws(PluginSearchError) {
        let path = FilePath(library).resolved
        guard unsafe access(path, F_OK) == 0 else { throw .notFound("there is no library \(library); build it first") }
        folder = try Self.makeFolder()
        var bundle = folder + "/processors.lv2/"
        do throws(PluginSearchError) {
            guard Folder.make(folder + "/processors.lv2") else { throw Self.noFolder }
            let answer = probe.answer(
                "describe", [path, bundle + "manifest.ttl"], deadlineSeconds: InstalledPlugin.deadlineSeconds,
                isStopped: isInterrupted)
            if answer.outcome.end == .stopped { throw PluginSearchError.interrupted }
            let reason = PluginResult.reason(answer)
            guard reason.isEmpty else { throw PluginSearchError.unreadable("\(library): \(reason)") }
            bundle = FilePath(bundle).resolved + "/"
            plugins = try InstalledPlugin.all(probe, bundles: [bundle], isInterrupted: isInterrupted)
            // A check of none would pass.
            guard !plugins.isEmpty else {
                throw PluginSearchError.unreadable(
                    "\(library): the description of its processors cannot be read; look at the ranges of their parameters"
                )
            }
        } catch {
            Self.remove(folder)
            throw error
        }
    }

    deinit { Self.remove(folder) }

    private static var noFolder: PluginSearchError {
        .unreadable("a folder for descriptions cannot be made: \(FileError.reason); see TMPDIR")
    }

    private static func makeFolder() throws(PluginSearchError) -> String {
        var name = Array("\(Environment["TMPDIR"] ?? "/tmp")/iounit-processors-XXXXXX".utf8CString)
        guard unsafe mkdtemp(&name) != nil else { throw noFolder }
        return String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    private static func remove(_ folder: String) {
        unsafe unlink(folder + "/processors.lv2/manifest.ttl")
        for path in ["/processors.lv2", ""] { unsafe rmdir(folder + path) }
    }
}

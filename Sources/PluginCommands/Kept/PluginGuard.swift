import AudioPlugins
import CommandSyntax
import Synchronization
import TerminalPages

/// What stands between a plug-in and a run that hosts it: what the last check has found.
package enum PluginGuard {
    package static let option = Option(
        flag: "plugin-only-safe",
        "refuse plug-ins that iounit plugin check has not found real-time safe, or that have changed since"
    )
    .needs(["plugin"])

    /// Read once; its faults are reported once.
    private static let kept = {
        let kept = KeptChecks()
        if let trouble = kept.trouble { StandardError.complain(trouble) }
        return kept
    }()

    /// Warnings that were shown: `convert` makes a plug-in again for each file and each pass.
    private static let shownWarnings = Mutex<Set<String>>([])

    /// Says what was found of a plug-in that is not safe, before it is loaded: once, however often it is loaded.
    ///
    /// - Parameter isStrict: whether only what is known to be safe passes.
    /// - Throws: `badInput`.
    static func admit(_ plugin: PluginInfo, isStrict: Bool) throws(Failure) {
        let verdict = verdict(plugin.shown, standing(of: plugin))
        if !verdict.isSafe, isStrict {
            let homeless =
                kept.path == nil ? "; nor can it be kept here: neither XDG_STATE_HOME nor HOME names a folder" : ""
            throw Failure(.badInput, "--plugin-only-safe: \(verdict.sentence)\(homeless)")
        }
        if verdict.isWarning, shownWarnings.withLock({ $0.insert(verdict.sentence).inserted }) {
            StandardError.complain(verdict.sentence)
        }
    }

    /// What is known of it; says where that cannot be found out.
    static func standing(of plugin: PluginInfo) -> KeptStanding {
        do {
            return try kept.standing(of: plugin.uri, library: plugin.library)
        } catch {
            StandardError.complain("earlier checks of \(plugin.shown) are not used: \(error)")
            return .notChecked
        }
    }

    /// - Parameter name: of the plug-in, as commands take it.
    static func verdict(_ name: String, _ standing: KeptStanding) -> (isSafe: Bool, isWarning: Bool, sentence: String) {
        switch standing {
        case .notChecked:
            return (false, false, "\(name) was not checked; run iounit plugin check \(name)")
        case .changed(let check):
            return (
                false, false,
                "\(name) has changed since it was checked on \(check.day); run iounit plugin check \(name)"
            )
        case .checked(let check):
            return (check.verdict == .safe, check.isWarning, "\(name) was checked on \(check.day): \(check.inWords)")
        }
    }
}

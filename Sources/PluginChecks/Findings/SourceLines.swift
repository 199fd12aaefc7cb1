import Threads

/// Lines of source for what was found, where there are debug symbols and a program that reads them.
enum SourceLines {
    /// For all places of a plug-in: one that writes findings itself may name any number of them, and files that cannot be read.
    private static let patience: UInt64 = 60_000_000_000

    /// Of what a plug-in must not do. Places that there is no time for have no line.
    ///
    /// - Parameter isStopped: asked 50 times a second; where it says yes, no more lines are looked for.
    static func add(to result: inout PluginResult, isStopped: () -> Bool) {
        var known: [String: String?] = [:]
        let deadline = MonotonicClock.nanoseconds() + patience
        for index in result.findings.indices where result.findings[index].isFailure {
            guard !isStopped(), MonotonicClock.nanoseconds() < deadline else { return }
            for frame in result.findings[index].frames.indices where !result.findings[index].frames[frame].isOfSystem {
                let place = result.findings[index].frames[frame]
                let key = "\(place.library)+\(place.libraryOffset)"
                if known[key] == nil {
                    let line = source(place.library, offset: place.libraryOffset, isStopped)
                    known.updateValue(line, forKey: key)
                }
                result.findings[index].frames[frame].source = known[key] ?? nil
                break
            }
        }
    }

    private static func source(_ library: String, offset: Int, _ isStopped: () -> Bool) -> String? {
        // The instruction before is the call.
        let question = ["addr2line", "-e", library, "0x\(String(max(0, offset - 1), radix: 16))"]
        guard
            let line = ChildProcess.answer(question, deadlineSeconds: 20, isStopped: isStopped)?
                .split(separator: "\n").first.map(String.init),
            !line.hasPrefix("?"), !line.hasSuffix(":?"), !line.hasSuffix(":0")
        else { return nil }
        return line
    }
}

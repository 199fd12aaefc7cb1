import AudioRecording
import CommandSyntax
import TerminalPages

extension Recorder {
    package var controls: [Control] {
        var marks = 0
        // What it was asked for last, until it is that: it acts when sound comes, and a server that is away brings none.
        var asked: State?
        func isOn() -> Bool {
            if self.state == asked || self.state == .over { asked = nil }
            return self.failure == nil && (asked ?? self.state) == .recording
        }
        return [
            .flag("record", "the recording goes on, or pauses", isUndoable: false, get: isOn) { isWanted in
                guard isWanted != isOn() else { return }
                if let failure = self.failure { throw failure }
                guard [.recording, .paused].contains(self.state) else { return }
                asked = isWanted ? .recording : .paused
                if isWanted { self.resume() } else { self.pause() }
            },
            .action("split", "go on in the next file") { self.split() },
            .action("mark", "mark this place of the recording") {
                guard isOn() else { return }
                marks += 1
                self.mark("mark \(marks)")
            },
        ]
    }

    /// That its files are not as they were to be: why, which stays the same from file to file, and words for people, which name
    /// the present one.
    package var notices: [(cause: String, words: String)] {
        let file = segments.last ?? path
        return [
            failure.map { ("failure of \(path)", $0.description) },
            conversionReason.map {
                ("conversion of \(path)", "the recording goes on in \(file), converted to its rate: \($0)")
            },
            (isSplitRefused ? splitRefusal : nil).map {
                ("no split of \(path): \($0)", "the recording goes on in \(file), and not in the next file: \($0)")
            },
            omittedRequests == 0
                ? nil
                : (
                    "requests of \(path)",
                    "not all that was asked of the recording \(file) is done, because as much as can waits for sound to come; ask "
                        + "again when it comes"
                ),
        ].compactMap(\.self)
    }

    /// Tells once, as soon as it is so, what is not as it was to be.
    ///
    /// - Parameters:
    ///   - told: the causes that were told before.
    ///   - isShown: whether a live view shows it instead.
    package func tellNotices(besides told: inout Set<String>, isShown: Bool) {
        for notice in notices where told.insert(notice.cause).inserted && !isShown {
            StandardError.complain(notice.words)
        }
    }

    package var figures: [OSCFigure] {
        [
            OSCFigure("recording/file", "path of the recording") { [.text(self.segments.last ?? self.path)] },
            OSCFigure("recording/seconds", "length of the recording in s") { [.float(Float(self.writtenSeconds))] },
        ] + OSCFigure.all(in: "recording/") { RecordingReport(self) }
    }
}

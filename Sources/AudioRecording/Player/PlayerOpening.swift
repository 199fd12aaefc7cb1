import AudioFiles
import AudioRealtime
import Synchronization

/// Something that is to be played next, on its way from the disk.
final class PlayerOpening: @unchecked Sendable {
    // Sendable: only the thread that called `begin` uses `feed` before `PlayerSchedule.end`; all other access is under the schedule's
    // lock.

    /// That it is opened for; `nil` where that was dropped meanwhile.
    private(set) weak var cue: ScheduledCue?
    private let piece: ScheduledPiece
    private let sampleRate: Int
    private let channels: Int
    private let counters: Cell<PlayerCounters>
    private var isBegun = false
    private(set) var feed: PlayedFeed?

    init(
        _ piece: ScheduledPiece, for cue: ScheduledCue, sampleRate: Int, channels: Int, counters: Cell<PlayerCounters>
    ) {
        (self.piece, self.cue) = (piece, cue)
        (self.sampleRate, self.channels, self.counters) = (sampleRate, channels, counters)
    }

    /// Returns whether nobody has begun it before.
    func begin() -> Bool {
        defer { isBegun = true }
        return !isBegun
    }

    /// A slow disk takes its time for it. Thread: control or worker.
    func open() {
        feed = PlayedFeed(
            piece.playback, sampleRate: sampleRate, channels: channels, from: piece.heardSeconds,
            continues: piece.continues, counters: counters)
    }

    /// Whether it is what is to be played, also by now.
    func isOf(_ piece: ScheduledPiece, sampleRate: Int) -> Bool {
        piece.playback === self.piece.playback && piece.heardSeconds == self.piece.heardSeconds
            && piece.continues == self.piece.continues && sampleRate == self.sampleRate
    }
}

/// Why something could not be played.
final class LastFailure: Sendable {
    private let last = Mutex<SoundFileError?>(nil)

    var value: SoundFileError? { last.withLock { $0 } }
    func note(_ failure: SoundFileError) { last.withLock { $0 = failure } }
}

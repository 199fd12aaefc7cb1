import AudioDSP
import Synchronization

// What sounds.
extension PlayerState {
    /// Plays a part of a block in which nothing begins.
    @_noLocks @_noAllocation
    mutating func sound(
        _ planes: borrowing Planes, _ bundle: Bundle, from start: Int, count: Int, position: UInt64, scratch: Int
    ) {
        for channel in 0..<bundle.channels { planes.run(bundle, channel, from: start, count: count).clear() }
        if isHeld {
            // The transport goes on meanwhile: what it has passed is left out.
            timeline.note(late: count)
            return dropLeaving()
        }
        var index = 0
        while index < voiceCount {
            // SAFETY: the voice stays where it is meanwhile.
            let voice = unsafe voices.base + index
            let hasEnded = unsafe play(
                voice, planes, bundle, from: start, count: count, position: position, scratch: scratch)
            if unsafe hasEnded || (voice.pointee.isLeaving && voice.pointee.level.remaining == 0) {
                drop(index)
            } else {
                index += 1
            }
        }
        if pause.remaining > 0 {
            for channel in 0..<bundle.channels {
                planes.run(bundle, channel, from: start, count: count).applyGain(pause)
            }
            pause.advance(by: count)
        }
    }

    /// Adds what a voice plays; returns whether it has come to its end.
    @_noLocks @_noAllocation
    private mutating func play(
        _ voice: UnsafeMutablePointer<Voice>, _ planes: borrowing Planes, _ bundle: Bundle, from start: Int,
        count: Int, position: UInt64, scratch: Int
    ) -> Bool {
        var done = 0
        var hasEnded = false
        while !hasEnded, let feed = unsafe voice.pointee.cue.pointee.feed,
            unsafe feed.pointee.sampleRate == sampleRate
        {
            let total = unsafe feed.pointee.total
            let part = unsafe min(count - done, feed.pointee.consumer.available(wanting: count - done))
            if part > 0 {
                // What was ended before it could begin only fades out.
                if unsafe feed.pointee.readFrames == 0 && !feed.pointee.continues && !voice.pointee.isLeaving {
                    noteStart(at: position + UInt64(done))
                }
                for channel in 0..<bundle.channels {
                    let target = planes.run(bundle, channel, from: start + done, count: part)
                    unsafe read(feed, channel, into: target, planes.run(scratch, count: part), voice.pointee.level)
                }
                unsafe feed.pointee.note(played: part)
                unsafe voice.pointee.level.advance(by: part)
                unsafe counters.pointee.playedFrames.count(UInt64(part))
                done += part
            }
            if total >= 0, unsafe feed.pointee.readFrames >= total {
                if let next = unsafe feed.pointee.close() {
                    unsafe voice.pointee.cue.pointee.feed = next
                    unsafe feed.pointee.leave()
                } else {
                    hasEnded = true
                    if unsafe !voice.pointee.isLeaving { noteEnd(at: position + UInt64(done)) }
                }
            } else if done == count {
                return false
            } else if part == 0 {
                unsafe counters.pointee.underrunFrames.count(UInt64(count - done))
                if unsafe !voice.pointee.isLeaving { timeline.note(late: count - done) }
                break
            }
        }
        unsafe voice.pointee.level.advance(by: count - done)
        return hasEnded
    }

    /// One channel goes to all; of fewer than there are, those beyond are silent.
    @_noLocks @_noAllocation
    private func read(
        _ feed: UnsafeMutablePointer<PlayerFeed>, _ channel: Int, into target: Samples, _ scratch: Samples,
        _ level: Ramp
    ) {
        let channels = unsafe feed.pointee.consumer.channels
        guard channel < channels || channels == 1 else { return }
        unsafe feed.pointee.consumer.read(into: scratch, channel: min(channel, channels - 1))
        target.add(scratch, gain: level)
    }

    @_noLocks @_noAllocation
    private func noteStart(at position: UInt64) {
        if unsafe counters.pointee.firstPosition.load(ordering: .relaxed) < 0 {
            unsafe counters.pointee.firstPosition.store(Int(position), ordering: .releasing)
        }
        // The end first: what has a start and an end is over.
        unsafe counters.pointee.endPosition.store(-1, ordering: .releasing)
        unsafe counters.pointee.startPosition.store(Int(position), ordering: .releasing)
    }

    @_noLocks @_noAllocation
    func noteEnd(at position: UInt64) {
        unsafe counters.pointee.endPosition.store(Int(position), ordering: .releasing)
    }
}

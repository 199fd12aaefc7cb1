import AudioRealtime

/// What a worker does for a node: takes what the audio thread has handed over, has it processed beside the far end of the same
/// time, and hands as many frames back. Thread: one at a time.
final class VoiceWork: @unchecked Sendable {
    // Sendable: only who holds the driver's lock has it, and so no two at once.

    /// How long the far end is waited for, of the same cycle but perhaps of another client.
    private static let patienceNanoseconds: UInt64 = 3_000_000
    /// Up to so many missing frames are replaced by silence. After a longer gap the processing starts again from its first state.
    private static let longestHole = 1 << 17

    private let engine: VoiceEngine
    private let options: VoiceOptions
    private var near: TapReader
    private var back: FrameProducer
    private let channels: Int
    private var far: FarFeed?
    /// `nil` before the first rate, and at one that sound cannot be converted from: it hands back silence then.
    private var chain: VoiceChain?
    private var runNumber: UInt32?
    private var sampleRate = 0
    /// The number of the frame that is handed back next, and of the one that is expected next.
    private var returned = 0
    private var expected = 0
    /// A block that waits for the far end.
    private var waiting: TapBlock?
    private var block: [Float] = []
    /// What found no room in the ring yet.
    private var output: [[Float]]
    /// Of the chains before.
    private var past = VoiceFigures()
    private var missingFarFrames: UInt64 = 0

    init(
        _ engine: VoiceEngine, _ options: VoiceOptions, _ near: consuming TapReader, _ back: consuming FrameProducer
    ) {
        self.engine = engine
        self.options = options
        channels = near.channels
        self.near = near
        self.back = back
        output = [[Float]](repeating: [], count: channels)
    }

    /// Makes all that a rate needs before the first block comes.
    func prepare(sampleRate: Int) { if self.sampleRate == 0 { begin(sampleRate) } }

    /// From now on another far end, or none, is heard.
    func setFar(_ feed: FarFeed?) {
        far = feed
        if sampleRate > 0 { begin(sampleRate) }
    }

    /// Works off one block, if one is there and due; returns whether there may be another.
    ///
    /// - Parameter now: on the monotonic clock; `nil` where nothing is waited for.
    func step(_ now: UInt64?) -> Bool {
        handBack()
        far?.gather()
        guard let next = waiting ?? near.readBlock(interleavedInto: &block) else { return false }
        waiting = next
        guard isDue(next, now) else { return false }
        waiting = nil
        take(next)
        handBack()
        return true
    }

    /// What is known by now.
    var figures: VoiceFigures {
        var figures = chain?.figures ?? VoiceFigures()
        figures.divergences += past.divergences
        figures.delayChanges += past.delayChanges
        figures.nonFiniteSamples += past.nonFiniteSamples
        figures.frames += past.frames
        figures.missingFarFrames = missingFarFrames
        return figures
    }

    private func isDue(_ next: TapBlock, _ now: UInt64?) -> Bool {
        guard let far, let now, !far.covers(next.frameTime &+ next.frames) else { return true }
        let half = UInt64(next.frames) * 500_000_000 / UInt64(next.run.sampleRate)
        return now >= next.entryNanoseconds + max(Self.patienceNanoseconds, half)
    }

    private func take(_ next: TapBlock) {
        let rate = Int(next.run.sampleRate)
        let hole = Int(next.position) - expected
        if next.runNumber != runNumber || rate != sampleRate || hole > Self.longestHole {
            // Frames that the last chain still has are not heard any more, but counted.
            let missing = Int(next.position) - returned - output[0].count
            appendSilence(missing)
            if runNumber != nil || rate != sampleRate { begin(rate) }
            runNumber = next.runNumber
        } else if hole > 0 {
            process([[Float]](repeating: [Float](repeating: 0, count: hole), count: channels), far: nil)
        }
        let frames = Int(next.frames)
        expected = Int(next.position) + frames
        let planes = (0..<channels).map { channel in (0..<frames).map { block[$0 * channels + channel] } }
        process(planes, far: far?.take(frames, from: next.frameTime, missing: &missingFarFrames))
    }

    private func process(_ planes: [[Float]], far farPlanes: [[Float]]?) {
        guard let chain else { return appendSilence(planes[0].count) }
        let silence = [[Float]](repeating: [Float](repeating: 0, count: planes[0].count), count: far?.channels ?? 1)
        chain.process(near: planes, far: farPlanes ?? silence, into: &output)
    }

    private func begin(_ rate: Int) {
        past = figures
        sampleRate = rate
        // A run at such a rate does not begin; but a node may be attached to one that runs, and a server may change its rate.
        chain =
            VoiceForm.convertedRates.contains(rate)
            ? VoiceChain(engine, options, sampleRate: rate, nearChannels: channels, farChannels: far?.channels ?? 1)
            : nil
        // A chain that begins in the middle of a run has some frames before it that never come out of the last one.
        appendSilence(expected - returned - output[0].count)
    }

    private func appendSilence(_ count: Int) {
        guard count > 0 else { return }
        for channel in 0..<channels { output[channel] += [Float](repeating: 0, count: count) }
    }

    /// As much as finds room.
    private func handBack() {
        var room = output[0].count
        while room > 0, !back.hasRoom(for: room) { room /= 2 }
        guard room > 0 else { return }
        for channel in 0..<channels {
            back.copyFinite(from: &output[channel], count: room, channel: channel)
            output[channel].removeFirst(room)
        }
        back.publish(room)
        returned += room
    }
}

import AudioFiles
import AudioRealtime

/// Decides which of the frames that come are recorded: from the start, with what came before it, to the end, without pauses.
///
/// A pure function of blocks, gaps and requests, to the frame: recorders that hear the same and are asked the same keep the
/// same.
struct RecordingGate {
    /// What is to be done with the files, in order.
    enum Step {
        /// A take begins with this block: the first, or after a silence the next, in the next file. The blocks before the start
        /// follow first.
        case begin(TapBlock)
        /// The block that comes next is the start, and what was before is pre-roll.
        case start(RecordedStart.Cause, TapBlock)
        case block(RecordedBlock)
        case gap(Gap)
        /// What comes next goes into the next file.
        case split
        /// What comes next has a name.
        case mark(String)
        /// Nothing more is recorded until the next `begin`, if ever.
        case end

        var isMark: Bool { if case .mark = self { true } else { false } }
    }

    private(set) var state = Recorder.State.waiting
    private let settings: RecordingSettings
    private var requests = RecordingRequests()
    /// The end of what has come so far, of which nothing is left.
    private var place: RecordedBlock?

    private var preroll = Preroll()
    /// How many are still to be recorded; `nil` without end.
    private var framesLeft: Int?
    /// `nil` where no silence ends it.
    private var quiet: SilenceCount?
    /// Since when nothing was loud, after the first take.
    private var silence: TapBlock?
    /// Where the pause began.
    private var pause: TapBlock?
    /// Splits and marks that were requested in the pause. They are done at its end.
    private var askedInPause: [Step] = []
    private var transport = RecordedTransport()

    init(_ settings: RecordingSettings) {
        self.settings = settings
        if case .sound(let trigger) = settings.start { quiet = SilenceCount(trigger) }
    }

    /// - Returns: `false` where it was left out, because too many wait.
    @discardableResult
    mutating func add(_ request: Request) -> Bool { requests.add(request) }

    /// Takes what is missing before the next block. What is asked for at a frame that is missing is done there.
    mutating func add(_ gap: Gap) -> [Step] {
        var rest = gap
        var steps: [Step] = []
        while let request = requests.list.first, let place,
            request.position < place.block.position + missingFrames(rest),
            !begins(request.kind) || missingFrames(rest) > 0
        {
            requests.removeFirst()
            let frames = Int(max(request.position, place.block.position) - place.block.position)
            pass(rest.prefix(frames: frames), &steps)
            rest = rest.suffix(fromFrame: frames)
            let here = place.place(behind: frames)
            self.place = here
            perform(request.kind, at: here, &steps)
        }
        place = place?.place(behind: Int(missingFrames(rest)))
        pass(rest, &steps)
        return steps
    }

    /// Whether frames are recorded from there on that are not now. It waits for the next block where nothing was rendered: what was
    /// missed before is no part of what was asked for.
    private func begins(_ kind: Request.Kind) -> Bool {
        switch kind {
        case .begin, .beginAtOnce: state == .waiting
        case .resume: state == .paused
        case .pause, .split, .mark, .end: false
        }
    }

    /// Frames of a gap that the unit has rendered. In time that was lost, or while it was in no graph, it has rendered none.
    private func missingFrames(_ gap: Gap) -> UInt64 {
        guard let position = place?.block.position, position < gap.endPosition else { return 0 }
        return min(UInt64(gap.lengthFrames), gap.endPosition - position)
    }

    private mutating func pass(_ gap: Gap, _ steps: inout [Step]) {
        guard gap.lengthNanoseconds > 0 else { return }
        switch state {
        case .recording: record(gap, &steps)
        case .waiting:
            // Gaps that add up to the pre-roll's length, or to 1 s where that is longer, drop what came before.
            preroll.add(gap, limitNanoseconds: max(1, settings.prerollSeconds) * 1e9)
        // Who paused did not want what was missed on top of it: it counts as part of the pause.
        case .paused, .over: break
        }
    }

    /// What is filled with silence counts as recorded, so that the length is that of the time that went by.
    private mutating func record(_ gap: Gap, _ steps: inout [Step]) {
        guard let left = framesLeft, settings.fills(gap) else { return steps.append(.gap(gap)) }
        steps.append(.gap(gap.prefix(frames: left)))
        framesLeft = left - min(left, gap.lengthFrames)
        if framesLeft == 0 { end(&steps) }
    }

    /// Takes the next block.
    mutating func add(_ block: RecordedBlock) -> [Step] {
        var rest = block
        var steps: [Step] = []
        if let last = place?.sampleRate, last != block.sampleRate { changeRate(from: last, to: block.sampleRate) }
        place = block.place(behind: 0)
        while true {
            while let request = requests.list.first, request.position <= rest.block.position {
                requests.removeFirst()
                perform(request.kind, at: rest, &steps)
            }
            guard rest.frames > 0 else { return steps }
            let frames = requests.list.first.map { Int(min(UInt64(rest.frames), $0.position - rest.block.position)) }
            if let part = rest.takeFirst(frames ?? rest.frames) { pass(part, &steps) }
            // A request behind the last frame waits for the next block.
            if rest.frames == 0 { return steps }
        }
    }
}

extension RecordingGate {
    /// Nothing more comes: what was to get its name at a later frame gets it at the end.
    mutating func finish() -> [Step] {
        guard state == .recording || state == .paused else { return [] }
        let steps = askedInPause + requests.takeAll().compactMap(\.kind.mark)
        askedInPause = []
        return steps.filter(\.isMark)
    }

    /// What is left, and how long it has been silent, are times: they are counted in other frames now.
    private mutating func changeRate(from old: Int, to new: Int) {
        framesLeft = framesLeft.map { frameCount(of: Double($0) / Double(old), at: new) }
        quiet?.changeRate(from: old, to: new)
    }

    private mutating func perform(_ kind: Request.Kind, at place: RecordedBlock, _ steps: inout [Step]) {
        switch kind {
        case .begin: if state == .waiting, !goesWithTransport { begin(.request, at: place, &steps) }
        case .beginAtOnce: if state == .waiting { begin(.immediate, at: place, &steps) }
        case .split: note(.split, &steps)
        case .mark(let label): note(.mark(label), &steps)
        case .end: end(&steps)
        case .pause:
            guard state == .recording else { return }
            state = .paused
            pause = place.block
        case .resume:
            guard state == .paused, let pause else { return }
            state = .recording
            steps.append(.gap(Gap(.pause, from: pause, until: place)))
            steps += askedInPause
            askedInPause = []
        }
    }

    /// Does a step before the next recorded frame: now, or at the end of a pause.
    private mutating func note(_ step: Step, _ steps: inout [Step]) {
        switch state {
        case .recording: steps.append(step)
        case .paused: if askedInPause.count < RecordingRequests.limit { askedInPause.append(step) }
        case .waiting, .over: break
        }
    }

    /// Takes frames in which nothing is asked for.
    private mutating func pass(_ block: RecordedBlock, _ steps: inout [Step]) {
        var rest = block
        while rest.frames > 0 {
            switch state {
            case .over: return
            case .paused:
                guard !isTransportStopped(rest) else { return endTake(at: rest, &steps) }
                return
            case .waiting:
                guard let (frame, cause) = startFrame(in: rest) else { return keep(rest) }
                if let before = rest.takeFirst(frame) { keep(before) }
                begin(cause, at: rest, &steps)
            case .recording:
                if isTransportStopped(rest) {
                    endTake(at: rest, &steps)
                    continue
                }
                if transport.isRelocated(in: rest) {
                    relocate(at: rest, &steps)
                    continue
                }
                let most = min(rest.frames, framesLeft ?? .max)
                let frames = quiet?.pass(most, of: rest) ?? most
                if let part = rest.takeFirst(frames) {
                    steps.append(.block(part))
                    if goesWithTransport { transport.note(behind: part) }
                }
                framesLeft? -= frames
                if framesLeft == 0 {
                    end(&steps)
                } else if quiet?.isEnough(atRate: block.sampleRate) == true {
                    endTake(at: rest, &steps)
                }
            }
        }
    }

    /// The frame at which the recording begins, if it does in this block.
    private func startFrame(in block: RecordedBlock) -> (Int, RecordedStart.Cause)? {
        switch settings.start {
        case .immediately: return (0, .immediate)
        case .onRequest: return nil
        case .at(let nanoseconds):
            guard nanoseconds < block.endNanoseconds else { return nil }
            guard nanoseconds > block.block.entryNanoseconds else { return (0, .time) }
            let seconds = Double(nanoseconds - block.block.entryNanoseconds) / 1e9
            return (min(block.frames - 1, Int((seconds * Double(block.sampleRate)).rounded())), .time)
        case .sound(let trigger):
            return block.firstFrame(from: 0, asLoudAs: trigger.threshold).map { ($0, .sound) }
        case .transport: return block.block.transport?.isRolling == true ? (0, .transport) : nil
        }
    }

    private mutating func begin(_ cause: RecordedStart.Cause, at place: RecordedBlock, _ steps: inout [Step]) {
        state = .recording
        quiet?.reset()
        framesLeft = framesLeft ?? settings.maximumSeconds.map { frameCount(of: $0, at: place.sampleRate) }
        let first = preroll.first ?? place
        steps.append(.begin(first.block))
        if let silence {
            // As long as what was not recorded, and no more: none where the transport was moved as it rolled.
            let gap = Gap(cause == .transport ? .pause : .silence, from: silence, until: first)
            if gap.lengthNanoseconds > 0 { steps.append(.gap(gap)) }
            self.silence = nil
        }
        steps += preroll.take()
        steps.append(.start(cause, place.block))
    }

    /// After a silence, or where the transport stops: the next sound, or roll, begins the next take, or it is over.
    private mutating func endTake(at place: RecordedBlock, _ steps: inout [Step]) {
        guard repeats else { return end(&steps) }
        state = .waiting
        steps += askedInPause.filter(\.isMark)
        askedInPause = []
        transport.forgetPlace()
        silence = place.block
        steps.append(.end)
    }

    private var repeats: Bool {
        switch settings.start {
        case .sound(let trigger): trigger.repeats
        case .transport(let repeats): repeats
        case .immediately, .onRequest, .at: false
        }
    }

    private mutating func end(_ steps: inout [Step]) {
        guard state != .over else { return }
        if state == .recording || state == .paused {
            steps += finish()
            steps.append(.end)
        }
        state = .over
        preroll = Preroll()
    }

    private mutating func keep(_ block: RecordedBlock) {
        preroll.add(block, limit: settings.prerollFrames(sampleRate: block.sampleRate, channels: block.channels))
    }
}

// With JACK's transport.
extension RecordingGate {
    /// Then nobody else begins it.
    private var goesWithTransport: Bool { if case .transport = settings.start { true } else { false } }

    private mutating func isTransportStopped(_ block: RecordedBlock) -> Bool {
        goesWithTransport && transport.isStopped(in: block)
    }

    private mutating func relocate(at place: RecordedBlock, _ steps: inout [Step]) {
        guard !repeats else { return endTake(at: place, &steps) }
        transport.forgetPlace()
        if let frame = place.block.transport?.frame { steps.append(.mark("transport at \(frame)")) }
    }
}

import AudioDSP
import Synchronization

/// What the audio thread runs in a cycle: a row of steps on planes that were assigned to them beforehand.
///
/// Made by a `PlanBuilder`, and its steps never change. It keeps all that they name, so that who frees the plan frees that too,
/// where no other plan has it: the control thread or a worker, never the audio thread.
@safe package struct Plan: ~Copyable {
    /// The longest block that is rendered at once. A longer cycle is rendered in parts.
    package static var maximumFrames: Int { @_noLocks @_noAllocation get { 8192 } }
    /// In place of the address of the next plan: the audio thread has gone on to it, and touches this one no more.
    static var over: UInt { @_noLocks @_noAllocation get { 1 } }

    // First what each block looks at, side by side; the rest is asked for apart. `next` is not at the very start: the thread
    // sanitizer takes a change of a structure for an access to its first byte.

    private let steps: Row<PlanStep>
    /// The address of the plan that is to be rendered next; 0 for none.
    let next = Atomic<UInt>(0)
    private var planes: Planes
    /// For what is needed for the length of one step.
    private let scratch: Int
    /// How long a change of a gain or a delay lasts.
    package var rampFrames: Int
    private let loops: Row<UnsafeMutablePointer<DelayState>>
    private let taps: Row<UnsafeMutablePointer<TapWriter>>
    private let players: Row<UnsafeMutablePointer<PlayerState>>
    private let detours: Row<UnsafeMutablePointer<DetourState>>
    private let keeps: [AnyObject]

    package var stepCount: Int { unsafe steps.count }
    package var planeCount: Int { planes.channels }

    /// - Parameters:
    ///   - loops: the delays that close loops.
    ///   - planes: how many the steps name. One more is made.
    ///   - keeps: what the steps point at.
    @unsafe init(
        _ steps: [PlanStep], loops: [UnsafeMutablePointer<DelayState>], taps: [UnsafeMutablePointer<TapWriter>],
        players: [UnsafeMutablePointer<PlayerState>], detours: [UnsafeMutablePointer<DetourState>], planes: Int,
        rampFrames: Int, keeps: [AnyObject]
    ) {
        unsafe self.steps = Row(steps)
        unsafe self.loops = Row(loops)
        unsafe self.taps = Row(taps)
        unsafe self.players = Row(players)
        unsafe self.detours = Row(detours)
        self.planes = Planes(channels: planes + 1, capacity: Self.maximumFrames)
        scratch = planes
        self.rampFrames = rampFrames
        self.keeps = keeps
    }

    /// The plan that is to be rendered from now on, where there is a new one: this one is over then, and is
    /// asked no more. Thread: that of the one renderer that has it. Wait-free.
    @unsafe @inline(__always) @_noLocks @_noAllocation
    package func goOn() -> UnsafeMutablePointer<Plan>? {
        guard next.load(ordering: .relaxed) != 0 else { return nil }
        // SAFETY: the address of a plan that its keeper keeps. Acquire: the plan is whole. Release: we are done with this one.
        return unsafe UnsafeMutablePointer(bitPattern: next.exchange(Self.over, ordering: .acquiringAndReleasing))
    }

    /// Takes over the sample rate, in hertz, of what is rendered from now on. Between two blocks. Thread: audio. Wait-free.
    @_noLocks @_noAllocation
    package mutating func changeRate(to sampleRate: Int) {
        // SAFETY: here and below, `keeps` keeps what is pointed at.
        for index in unsafe 0..<steps.count {
            switch unsafe steps.base[index] {
            case .shape(let shaper, _, _): unsafe shaper.pointee.changeRate(to: sampleRate)
            case .process(let processor, _): unsafe processor.pointee.changeRate(to: sampleRate)
            case .receive(let receiver, _): unsafe receiver.pointee.changeRate(to: sampleRate)
            case .detour(let detour, _): unsafe detour.pointee.changeRate(to: sampleRate)
            default: break
            }
        }
        for index in unsafe 0..<players.count { unsafe players.base[index].pointee.changeRate(to: sampleRate) }
    }

    /// Whether each tap has room for a cycle of this length. Thread: audio. Wait-free.
    @_noLocks @_noAllocation
    package func hasRoom(for frames: Int) -> Bool {
        guard unsafe taps.count > 0 else { return true }
        // A loop is rendered in blocks of its delay.
        var longest = Self.maximumFrames
        for loop in unsafe 0..<loops.count { longest = unsafe min(longest, loops.base[loop].pointee.begin()) }
        let blocks = (frames + longest - 1) / longest
        for index in unsafe 0..<taps.count
        where unsafe !taps.base[index].pointee.hasRoom(for: frames, blocks: blocks) {
            return false
        }
        return true
    }

    /// Whether the workers beside are ready for a cycle of this length: each tap has room, each player has what it is to
    /// play, and some more, and each detour what is due. Thread: audio. Wait-free.
    ///
    /// - Parameter reserveFrames: what a player is to have left behind the cycle.
    @_noLocks @_noAllocation
    package func isReady(for frames: Int, reserveFrames: Int) -> Bool {
        guard hasRoom(for: frames) else { return false }
        for index in unsafe 0..<players.count
        where unsafe !players.base[index].pointee.isReady(for: frames, reserve: reserveFrames) {
            return false
        }
        for index in unsafe 0..<detours.count where unsafe !detours.base[index].pointee.isReady(for: frames) {
            return false
        }
        return true
    }

    /// Whether every player that follows the transport can play from this frame on. Thread: audio. Wait-free.
    @_noLocks @_noAllocation
    package func isReady(forTransportFrame frame: UInt32) -> Bool {
        var isReady = true
        // All of them are asked, so that each knows which frame is wanted.
        for index in unsafe 0..<players.count
        where unsafe !players.base[index].pointee.isReady(forTransportFrame: frame) {
            isReady = false
        }
        return isReady
    }

    /// Renders a block of a cycle: all of it, or as much as fits, or as the shortest delay of a loop has. Thread: audio.
    /// Wait-free.
    ///
    /// - Parameters:
    ///   - inputs: the port buffers; they may be the memory of the outputs.
    ///   - outputs: as many as the output node has channels; or none, where the sound goes nowhere.
    ///   - start: the block's first frame in them.
    ///   - block: its description for the taps, as long as what is left of the cycle; then as long as what was rendered.
    /// - Returns: how many samples of the inputs were not finite; they are silence.
    @_noLocks @_noAllocation
    package mutating func render(
        _ inputs: borrowing PortBuffers, _ outputs: borrowing PortBuffers, from start: Int, _ block: inout TapBlock
    ) -> Int {
        var frames = min(Int(block.frames), Self.maximumFrames)
        for loop in unsafe 0..<loops.count { frames = unsafe min(frames, loops.base[loop].pointee.begin()) }
        block.frames = UInt32(truncatingIfNeeded: frames)
        planes.arrange(frames: frames)
        let (broken, isKept) = run(inputs, outputs, from: start, block)
        if !isKept { block.pausedFrames += UInt64(frames) }
        return broken
    }

    /// Runs the steps. A function of its own, which hands the block's description on as it is: of one that it may change, each
    /// step would get a copy.
    ///
    /// - Returns: how many samples of the inputs were not finite, and whether the block went to the taps.
    @inline(never) @_noLocks @_noAllocation
    private mutating func run(
        _ inputs: borrowing PortBuffers, _ outputs: borrowing PortBuffers, from start: Int,
        _ block: borrowing TapBlock
    ) -> (broken: Int, isKept: Bool) {
        let frames = Int(block.frames)
        var (broken, made) = (0, 0)
        var (isKept, isBounded) = (true, false)
        var place = 0
        while place < stepCount {
            let index = place
            place += 1
            switch unsafe steps.base[index] {
            case .gate(let output):
                isKept = unsafe output.pointee.begin(rampFrames: rampFrames)
            case .input(let bundle):
                broken += inputs.copyFinite(to: planes, bundle, from: start, count: frames)
            case .clear(let bundle):
                for channel in 0..<bundle.channels { planes.run(bundle, channel, count: frames).clear() }
            case .copy(let source, let target):
                for channel in 0..<source.channels {
                    planes.run(target, channel, count: frames).copy(from: planes.run(source, channel, count: frames))
                }
            case .add(let source, let target):
                for channel in 0..<source.channels {
                    planes.run(target, channel, count: frames)
                        .add(planes.run(source, channel, count: frames), gain: Ramp(1))
                }
            case .carry(let line, let source, let target, let stores):
                unsafe line.pointee.carry(
                    from: source, to: target, in: planes, frames: frames, scratch: scratch, stores: stores,
                    rampFrames: rampFrames)
            case .carryFour:
                if carryFour(from: place, frames: frames) { place += 4 }
            case .check(let bundle): made += planes.silenceNotFinite(bundle, frames: frames)
            case .shape(let shaper, let bundle, let isBehind):
                if isBehind && !isBounded { made += planes.silenceNotFinite(bundle, frames: frames) }
                isBounded = unsafe shaper.pointee.process(planes, bundle, frames: frames)
            case .process(let processor, let bundle):
                unsafe processor.pointee.process(planes, bundle, frames: frames)
            case .play(let player, let bundle):
                unsafe player.pointee.process(planes, bundle, block, scratch: scratch, rampFrames: rampFrames)
            case .delay(let delay, let bundle):
                unsafe delay.pointee.process(planes, bundle, frames: frames, scratch: scratch, rampFrames: rampFrames)
            case .receive(let receiver, let bundle):
                unsafe receiver.pointee.process(planes, bundle, block, rampFrames: rampFrames)
            case .detour(let detour, let bundle):
                unsafe detour.pointee.process(planes, bundle, block)
            case .recall(let delay, let bundle):
                unsafe delay.pointee.recall(planes, bundle, frames: frames, scratch: scratch, rampFrames: rampFrames)
            case .store(let delay, let bundle):
                made += unsafe delay.pointee.store(planes, bundle, frames: frames)
            case .tap(let tap, let bundle):
                if isKept { unsafe tap.pointee.write(block, planes, bundle) }
            case .output(let output, let bundle):
                unsafe output.pointee.write(planes, bundle, to: outputs, from: start, frames: frames, made: made)
            }
        }
        return (broken, isKept)
    }

    /// Carries what four steps from `first` on would, in one pass, where all of them stand still; returns whether they do.
    @_noLocks @_noAllocation
    private mutating func carryFour(from first: Int, frames: Int) -> Bool {
        guard case .carry(let line0, let source0, let target, _) = unsafe steps.base[first],
            case .carry(let line1, let source1, _, _) = unsafe steps.base[first + 1],
            case .carry(let line2, let source2, _, _) = unsafe steps.base[first + 2],
            case .carry(let line3, let source3, _, _) = unsafe steps.base[first + 3],
            let gains0 = unsafe line0.pointee.stillGains(rampFrames),
            let gains1 = unsafe line1.pointee.stillGains(rampFrames),
            let gains2 = unsafe line2.pointee.stillGains(rampFrames),
            let gains3 = unsafe line3.pointee.stillGains(rampFrames)
        else { return false }
        let isPair = target.channels == 2
        for channel in 0..<target.channels {
            func source(_ bundle: Bundle) -> Samples {
                planes.run(bundle, min(channel, bundle.channels - 1), count: frames)
            }
            let isRight = isPair && channel == 1
            planes.run(target, channel, count: frames).add(
                (source(source0), source(source1), source(source2), source(source3)),
                gains: (gains0.of(isRight), gains1.of(isRight), gains2.of(isRight), gains3.of(isRight)))
        }
        return true
    }
}

/// One of the things that a plan does to its planes. All that it names is kept by the plan.
@unsafe enum PlanStep: BitwiseCopyable {
    /// Begins each plan with an output: a pause may keep the block from the taps.
    case gate(UnsafeMutablePointer<OutputState>)
    /// Takes the port buffers over.
    case input(Bundle)
    case clear(Bundle)
    case copy(from: Bundle, to: Bundle)
    case add(Bundle, to: Bundle)
    case carry(UnsafeMutablePointer<Line>, from: Bundle, to: Bundle, stores: Bool)
    /// Stands before four of those that add to the same bundle: one pass over memory where none of them changes.
    case carryFour
    /// Puts silence in place of what is not finite, before what remembers it.
    case check(Bundle)
    /// - `isBehind`: whether the step before is the shaper whose output this one shapes. That is checked only where it may not be
    ///   finite, which it is behind a curve.
    case shape(UnsafeMutablePointer<ShaperState>, Bundle, isBehind: Bool)
    case process(UnsafeMutablePointer<ProcessorState>, Bundle)
    case play(UnsafeMutablePointer<PlayerState>, Bundle)
    case delay(UnsafeMutablePointer<DelayState>, Bundle)
    case receive(UnsafeMutablePointer<ReceiverState>, Bundle)
    case detour(UnsafeMutablePointer<DetourState>, Bundle)
    /// The two halves of a delay that closes a loop. The second checks what it stores.
    case recall(UnsafeMutablePointer<DelayState>, Bundle)
    case store(UnsafeMutablePointer<DelayState>, Bundle)
    case tap(UnsafeMutablePointer<TapWriter>, Bundle)
    /// Behind all that reads an input: in a feedback loop an input is one of our outputs. Only their tap is behind it.
    case output(UnsafeMutablePointer<OutputState>, Bundle)
}

import AudioRealtime
import Jack
import Synchronization
import Threads

/// Renders an engine's nodes without a server, on the caller's thread and as fast as the processor can. Its clocks count what
/// was rendered, so that the same calls give the same samples and the same times.
final class OfflineRenderer: Sendable {
    /// How long rendering waits for a reader of a tap without room. After that it goes on, and does not wait for this reader again.
    private static let patienceNanoseconds: UInt64 = 10_000_000_000

    let sampleRate: Int
    /// What is rendered in a cycle, at most.
    private let periodFrames: Int
    private let graph: EngineGraph
    private let state: Mutex<State>

    fileprivate struct State: ~Copyable {
        var unit: RenderUnit
        /// Whether a reader was waited for in vain, and has had no room since.
        var hasWaitedInVain = false
        let inputs: Planes
        let outputs: Planes
        var position: Int { Int(unit.position) }
    }

    init(_ graph: EngineGraph, sampleRate: Int, periodFrames: Int) {
        self.graph = graph
        self.sampleRate = sampleRate
        self.periodFrames = periodFrames
        let (inputs, outputs) = (graph.inputs, graph.meters.channels)
        state = Mutex(
            State(
                unit: graph.makeRenderer(), inputs: Planes(channels: max(1, inputs), capacity: periodFrames),
                outputs: Planes(channels: outputs, capacity: periodFrames)))
    }

    /// Frames that were rendered so far.
    var position: Int { state.withLock { $0.position } }

    func begin() {
        let rampMilliseconds = graph.rampMilliseconds
        state.withLock { state in
            let run = TapRun(sampleRate: sampleRate, cause: state.position == 0 ? .start : .restart)
            // SAFETY: nothing is rendered.
            unsafe graph.begin(sampleRate: sampleRate) { plan in
                unsafe state.unit.begin(plan, rampMilliseconds: rampMilliseconds, run: run)
            }
        }
    }

    /// Renders so many frames.
    ///
    /// - Parameters:
    ///   - input: a signal for each input; missing samples are silence.
    ///   - midi: what comes for the nodes, by the frames of the call; `nil` for an engine without MIDI.
    ///   - keepsOutput: whether the outputs are returned.
    ///   - afterCycle: called after each cycle, as a worker would.
    /// - Returns: a signal for each output, none where they are not kept; and the MIDI of the nodes.
    func render(
        _ frames: Int, _ input: [[Float]], midi: [MIDIEvent]? = nil, keepsOutput: Bool = true, afterCycle: () -> Void
    ) -> (output: [[Float]], midi: [MIDIEvent]) {
        var made: [MIDIEvent] = []
        var output = [[Float]](repeating: [], count: keepsOutput ? graph.meters.channels : 0)
        for channel in output.indices { output[channel].reserveCapacity(frames) }
        var done = 0
        while done < frames {
            let count = min(periodFrames, frames - done)
            graph.tick(sampleRate: sampleRate)
            graph.renderAhead(to: UInt64(position + count))
            waitForReaders(count)
            state.withLock { state in
                state.read(input, from: done, count: count)
                if let midi { graph.beginMIDI(midi, from: done, count: count) }
                Denormals.flushed { state.renderCycle(count, sampleRate) }
                for channel in output.indices { state.append(to: &output[channel], channel, count: count) }
                if midi != nil { made += graph.takeMIDI(from: done) }
            }
            afterCycle()
            done += count
        }
        // They see at once what has ended.
        graph.renderAhead(to: UInt64(position))
        return (output, made)
    }

    /// Recorders and meters read on workers of their own, which no clock gives the time to: they lose nothing because they are
    /// waited for, as on a freewheeling server.
    private func waitForReaders(_ frames: Int) {
        let deadline = MonotonicClock.nanoseconds() + Self.patienceNanoseconds
        while true {
            let mayRender = state.withLock { state in
                let hasRoom = state.unit.hasRoom(for: frames)
                if hasRoom { state.hasWaitedInVain = false }
                return hasRoom || state.hasWaitedInVain
            }
            if mayRender { return }
            guard MonotonicClock.nanoseconds() < deadline else { return state.withLock { $0.hasWaitedInVain = true } }
            // A tenth of the pace at which a recorder looks.
            MonotonicClock.sleep(milliseconds: 1)
        }
    }
}

extension EngineGraph {
    /// Begins a cycle with the events of some frames.
    fileprivate func beginMIDI(_ events: [MIDIEvent], from start: Int, count: Int) {
        // SAFETY: here and below, the thread that renders asks.
        unsafe midi.pointer.pointee.begin()
        for event in events where event.frame >= start && event.frame < start + count {
            let hasRoom = unsafe midi.pointer.pointee.arrived.insert(
                MIDIEvent(event.message, atFrame: event.frame - start))
            precondition(hasRoom, "a cycle has room for \(MIDICycle.capacity) messages")
        }
    }

    /// What the nodes have made in a cycle that begins at a frame.
    fileprivate func takeMIDI(from start: Int) -> [MIDIEvent] {
        var events: [MIDIEvent] = []
        while let event = unsafe midi.pointer.pointee.made[events.count] {
            events.append(MIDIEvent(event.message, atFrame: event.frame + start))
        }
        return events
    }
}

extension OfflineRenderer.State {
    fileprivate mutating func read(_ input: [[Float]], from start: Int, count: Int) {
        for channel in 0..<unit.inputs.channels {
            let plane = inputs.run(channel, count: count)
            plane.clear()
            guard channel < input.count, start < input[channel].count else { continue }
            let length = min(count, input[channel].count - start)
            for frame in 0..<length { plane[frame] = input[channel][start + frame] }
        }
    }

    fileprivate mutating func renderCycle(_ count: Int, _ sampleRate: Int) {
        // SAFETY: the planes hold a whole cycle, and are ours.
        for channel in 0..<unit.inputs.channels {
            unsafe unit.inputs.set(channel, to: inputs.run(channel, count: count).baseAddress)
        }
        for channel in 0..<outputs.channels {
            unsafe unit.outputs.set(channel, to: outputs.run(channel, count: count).baseAddress)
        }
        let seconds = position / sampleRate
        let rest = position % sampleRate
        let now = UInt64(seconds) * 1_000_000_000 + UInt64(rest) * 1_000_000_000 / UInt64(sampleRate)
        unit.render(frames: count, frameTime: UInt32(truncatingIfNeeded: position), entryNanoseconds: now)
        unit.finish(exitNanoseconds: now)
    }

    fileprivate func append(to signal: inout [Float], _ channel: Int, count: Int) {
        outputs.run(channel, count: count).withSpan { span in
            for frame in 0..<count { signal.append(span[frame]) }
        }
    }
}

/// What an engine tells of itself, for who prefers one object to a listener of events and a tap.
///
/// Its methods are called on workers, or on the thread of the call that something comes of, one at a time of each kind. They may
/// call the engine. Each may be left out.
public protocol EngineDelegate: AnyObject, Sendable {
    /// Sound goes through, for the first time or again.
    func engineStarted(_ engine: Engine)
    /// The input has rendered a buffer of `Engine.streamingFrames` frames.
    func engine(_ engine: Engine, streaming buffer: AudioBuffer, time: BufferTime)
    /// The engine has given up. It can be started again.
    func engine(_ engine: Engine, failed error: UnitError)
}

extension EngineDelegate {
    public func engineStarted(_ engine: Engine) {}
    public func engine(_ engine: Engine, streaming buffer: AudioBuffer, time: BufferTime) {}
    public func engine(_ engine: Engine, failed error: UnitError) {}
}

extension Engine {
    /// Length of the buffers that a delegate gets.
    public static let streamingFrames = 1024

    /// Tells a delegate from now on what happens, in place of the one before. The engine does not keep it. Thread: control.
    ///
    /// - Throws: `resources` where the machine has no more threads to give.
    public func setDelegate(_ delegate: (any EngineDelegate)?) throws { _ = try changeDelegate(delegate) }

    /// As `setDelegate`.
    ///
    /// - Returns: the number of the call, for `addDelegateTap`. Of calls at once the last one's delegate stays, and no other's tap.
    package func changeDelegate(_ delegate: (any EngineDelegate)?) throws -> Int {
        let (number, last) = delegateTaps.withLock { state in
            state.number += 1
            life.log.listen(.delegate, delegate.map(listener))
            defer { state.taps = [] }
            return (state.number, state.taps)
        }
        for tap in last { tap.remove() }
        guard let delegate else { return number }
        do {
            let tap = try tap(input, frames: Self.streamingFrames) { [weak self, weak delegate] buffer, time in
                guard let self else { return }
                delegate?.engine(self, streaming: buffer, time: time)
            }
            addDelegateTap(tap, of: number)
        } catch {
            delegateTaps.withLock { if $0.number == number { life.log.listen(.delegate, nil) } }
            throw error
        }
        return number
    }

    private func listener(of delegate: any EngineDelegate) -> EventLog.Listener {
        { [weak self, weak delegate] event in
            guard let self, let delegate, case .transition(_, let state) = event.kind else { return }
            switch state {
            case .running: delegate.engineStarted(self)
            case .failed(let error): delegate.engine(self, failed: error)
            default: break
            }
        }
    }

    /// - Parameters:
    ///   - tap: ends with the delegate.
    ///   - number: of the call that set it. Where another call came since, the tap ends at once.
    package func addDelegateTap(_ tap: EngineTap, of number: Int) {
        let isLate = delegateTaps.withLock { state in
            if state.number == number { state.taps.append(tap) }
            return state.number != number
        }
        if isLate { tap.remove() }
    }
}

struct DelegateTaps {
    /// How often a delegate was set.
    var number = 0
    var taps: [EngineTap] = []
}

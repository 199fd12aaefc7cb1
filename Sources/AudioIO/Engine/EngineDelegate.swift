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
    public func setDelegate(_ delegate: (any EngineDelegate)?) throws {
        let last = delegateTaps.withLock { taps in
            defer { taps = [] }
            return taps
        }
        for tap in last { tap.remove() }
        guard let delegate else { return life.log.listen(.delegate, nil) }
        life.log.listen(.delegate) { [weak self, weak delegate] event in
            guard let self, let delegate, case .transition(_, let state) = event.kind else { return }
            switch state {
            case .running: delegate.engineStarted(self)
            case .failed(let error): delegate.engine(self, failed: error)
            default: break
            }
        }
        let tap = try tap(input, frames: Self.streamingFrames) { [weak self, weak delegate] buffer, time in
            guard let self else { return }
            delegate?.engine(self, streaming: buffer, time: time)
        }
        addDelegateTap(tap)
    }

    /// - Parameter tap: ends with the delegate.
    package func addDelegateTap(_ tap: EngineTap) { delegateTaps.withLock { $0.append(tap) } }
}

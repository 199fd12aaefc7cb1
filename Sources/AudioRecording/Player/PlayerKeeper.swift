import Synchronization

/// Keeps what the audio thread may look at, however long the control side lives.
final class PlayerKeeper: Sendable {
    private let things = Mutex<[ObjectIdentifier: any AnyObject & Sendable]>([:])

    func keep(_ thing: any AnyObject & Sendable) { things.withLock { $0[ObjectIdentifier(thing)] = thing } }
    func release(_ thing: any AnyObject & Sendable) { things.withLock { $0[ObjectIdentifier(thing)] = nil } }
}

/// What JACK's transport means to an engine.
public enum TransportUse: Sendable, Equatable {
    /// Nothing: it is not looked at.
    case none
    /// Each block that goes to a tap says where the transport is, so that a recorder can begin and end with it.
    case observed
    /// As `observed`, and the transport waits until players that follow it (`Player.follow`) can play from the frame where it
    /// starts: a slow-sync client. It waits for JACK's sync timeout at the most: 10 s in jackd2, 2 s in jackd1, counted in cycles,
    /// so that a server that freewheels waits for less.
    case synchronised
}

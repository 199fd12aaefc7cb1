import Jack

// What all clients of a server share: JACK's transport, and freewheeling. Thread: any but audio.
extension Engine {
    /// Where the transport is now; `nil` where the engine is in no graph. It does not depend on `EngineConfiguration.transport`.
    public var transport: TransportPosition? { unit?.client.withView { $0.transport } }

    /// Starts the transport for all clients. Does nothing where the engine is in no graph.
    public func startTransport() { _ = unit?.client.withView { $0.startTransport() } }

    /// Stops the transport for all clients. Does nothing where the engine is in no graph.
    public func stopTransport() { _ = unit?.client.withView { $0.stopTransport() } }

    /// Has the server of the engine run as fast as its clients can, for all of them, or in time again. While it does, nobody hears
    /// anything: jackd takes the connections to the card away, and makes them again at the end. jackd 1.9.21 goes on freewheeling
    /// when the program that asked for it is killed. Waits for the server, up to 15 s, and for a start or a stop that goes on.
    ///
    /// - Throws: `jack` where the server refuses, as one that freewheels already; `wrongState` where the engine is in no graph.
    public func setFreewheel(_ isOn: Bool) throws(UnitError) {
        let result = unit?.client.withWaitingView { view in
            Result { () throws(JackError) in try view.setFreewheel(isOn) }.mapError(UnitError.jack)
        }
        guard let result else { throw .wrongState("an engine that is in no graph cannot have a server freewheel") }
        try result.get()
    }

    /// Has the transport go to a frame. Does nothing where the engine is in no graph.
    public func locateTransport(to frame: UInt32) { _ = unit?.client.withView { try? $0.locateTransport(to: frame) } }
}

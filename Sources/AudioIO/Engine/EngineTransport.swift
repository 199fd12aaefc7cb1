import Jack

// JACK's transport, which all clients of a server share. Thread: any but audio.
extension Engine {
    /// Where the transport is now; `nil` where the engine is in no graph. It does not depend on `EngineConfiguration.transport`.
    public var transport: TransportPosition? { unit?.client.withView { $0.transport } }

    /// Starts the transport for all clients. Does nothing where the engine is in no graph.
    public func startTransport() { _ = unit?.client.withView { $0.startTransport() } }

    /// Stops the transport for all clients. Does nothing where the engine is in no graph.
    public func stopTransport() { _ = unit?.client.withView { $0.stopTransport() } }

    /// Has the transport go to a frame. Does nothing where the engine is in no graph.
    public func locateTransport(to frame: UInt32) { _ = unit?.client.withView { try? $0.locateTransport(to: frame) } }
}

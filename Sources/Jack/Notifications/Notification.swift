/// What JACK tells a client about the world, outside the audio thread.
public enum Notification: Sendable, Equatable {
    /// The server is gone, or has thrown the client out. The client must be closed and opened again.
    case shutdown(reason: String)
    /// A cycle was late. The delay is JACK's own figure in microseconds; 0 where it has none (in async mode).
    case xrun(delayMicroseconds: Float)
    /// The period is now this many frames.
    case periodChanged(frames: Int)
    /// The sample rate is now this many hertz.
    case sampleRateChanged(hertz: Int)
    /// The server runs free of the clock, or in real time again.
    case freewheel(isOn: Bool)
    /// libjack tells ports by number, here and below: a name is the port's at the moment at which the notification is
    /// handled, which may be newer than the event, and empty where the port is gone.
    case portRegistered(name: String)
    /// A port was removed.
    case portUnregistered(name: String)
    /// Two ports, by their full names, were connected.
    case portsConnected(source: String, target: String)
    /// Two ports, by their full names, were disconnected.
    case portsDisconnected(source: String, target: String)
    /// A port has another name now; connections stay.
    case portRenamed(from: String, to: String)
    /// The order in which clients run has changed, as after each change of connections.
    case graphReordered
    /// This many notifications came faster than they were read from the stream and are missing here.
    case missed(count: Int)
}

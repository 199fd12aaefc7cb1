import CJack

/// A port of this client. What it carries is read and written in a `Cycle` only.
///
/// It is a name for something in the client that made it and means nothing to another, or after that one is closed.
@safe public struct Port: @unchecked Sendable, Equatable {
    // Sendable: libjack's functions on ports may be called from any thread.
    let raw: OpaquePointer
    /// The name with the client's, as in `iounit:in_1`, at the time of registration.
    public let name: String

    public static func == (left: Port, right: Port) -> Bool { unsafe left.raw == right.raw }

    init(_ raw: OpaquePointer) {
        unsafe self.raw = raw
        // SAFETY: libjack keeps the name as long as the port.
        unsafe name = jack_port_name(raw).map { unsafe String(cString: $0) } ?? ""
    }
}

/// A port's address for the audio thread, which may not touch the reference count of a name. It is valid while the
/// port's client is active.
@safe public struct PortHandle: @unchecked Sendable, BitwiseCopyable {
    // Sendable: `Cycle` alone uses it, on whatever thread libjack calls us.
    @usableFromInline let raw: OpaquePointer
}

extension Port {
    /// What the audio thread uses of the port. Valid until the port is closed.
    public var handle: PortHandle { unsafe PortHandle(raw: raw) }
}

/// Which way a port faces, seen from its client.
public enum PortDirection: Sendable, Equatable {
    /// Sound goes into the client here.
    case input
    /// Sound comes out of the client here.
    case output
}

/// What JACK knows of a port of any client.
public struct PortInfo: Sendable, Equatable {
    /// In full, as in "system:capture_1".
    public var name: String
    /// Other names of the same port, at most two.
    public var aliases: [String]
    /// Whether it gives or takes sound, seen from its client.
    public var direction: PortDirection
    /// The port type, as in "32 bit float mono audio".
    public var type: String
    /// Sound that has to do with the outside world.
    public var isPhysical: Bool
    /// Sound begins or ends here, and does not pass through.
    public var isTerminal: Bool
    /// Names of the ports connected to it.
    public var connections: [String]
    /// Of the sound at the port, since it came into the graph.
    public var captureLatency: LatencyRange
    /// Of the sound at the port, until it leaves the graph.
    public var playbackLatency: LatencyRange

    /// Whether it carries 32-bit float samples, and not MIDI or another type.
    public var isAudio: Bool { type == PortInfo.audioType }
    /// JACK_DEFAULT_AUDIO_TYPE.
    public static let audioType = "32 bit float mono audio"
    /// JACK_DEFAULT_MIDI_TYPE.
    public static let midiType = "8 bit raw midi"
}

/// Which ports to look for.
public struct PortQuery: Sendable {
    /// A POSIX extended regular expression that some part of the name matches; `nil` for any name.
    public var pattern: String?
    /// Only ports of this direction; `nil` for both.
    public var direction: PortDirection?
    /// Only ports with this trait, or only those without.
    public var isPhysical: Bool?
    /// `nil` for ports of any type.
    public var type: String?

    /// All audio ports, unless something else is asked for.
    public init(
        pattern: String? = nil, direction: PortDirection? = nil, isPhysical: Bool? = nil,
        type: String? = PortInfo.audioType
    ) {
        self.pattern = pattern
        self.direction = direction
        self.isPhysical = isPhysical
        self.type = type
    }
}

import AudioDSP
import AudioRealtime
import Jack

/// What a unit is to be, checked once when the unit is made.
public struct UnitConfiguration: Sendable, Equatable {
    /// The JACK client's name; JACK may append a number where it is taken.
    public var clientName = "iounit"
    /// Refuses to start where the name is taken, rather than take another.
    public var requiresExactName = false
    /// Which server; `nil` for the default one.
    public var serverName: String?
    /// Inputs `in_1 … in_N` and outputs `out_1 … out_N`. 1…256.
    public var channels = 2
    /// Gain in decibels, −120…60.
    public var gainDecibels = 0.0
    /// Gain into the shaper in decibels, −120…60; without effect while the shape is `off`.
    public var driveDecibels = 0.0
    /// The curve of the shaper. `off` changes no sample.
    public var shape = Shape.off
    /// What is done against the aliases of the shape, at the cost of latency (see `Antialiasing`).
    public var antialiasing = Antialiasing.off
    /// How the filters of an oversampling delay the sound.
    public var phase = FilterPhase.linear
    /// Keeps the output's level independent of the drive (see `Parameters.hasMakeUpGain`).
    public var hasMakeUpGain = false
    /// What the shape `table` stands for, from the start to the end; without one it is the same as `hard`.
    public var shapeTable: ShapeTable?
    /// Leaves the signal alone: neither gain nor shape.
    public var isBypassed = false
    /// Silence at the outputs.
    public var isMuted = false
    /// How long a change of a parameter takes, in milliseconds. 0…1000; 0 clicks.
    public var rampMilliseconds = 10.0
    /// Where the inputs' sound comes from.
    public var inputs = Route.physical
    /// Where the outputs' sound goes.
    public var outputs = Route.physical
    /// Moves the connections when a port that the routes prefer comes or goes (see `EngineConfiguration.followsRoutes`).
    public var followsRoutes = false
    /// Ports `midi_in` and `midi_out`, and what they are connected to; `nil` for none.
    public var midi: MIDIRoute?

    /// Two channels from the card to the card of the default server, bit for bit: gain 0 dB, no shape.
    public init() {}

    /// What `channels` may be.
    public static let channelRange = 1...256
    /// What gain and drive may be, in decibels.
    public static let decibelRange = -120.0...60.0

    func check() throws(UnitError) {
        try Self.check(channels, Self.channelRange, "a number of channels")
        try Self.check(gainDecibels, Self.decibelRange, "a gain in decibels")
        try Self.check(driveDecibels, Self.decibelRange, "a drive in decibels")
        try Self.check(rampMilliseconds, 0...1000, "a ramp in milliseconds")
    }

    static func check<Value: Comparable>(
        _ value: Value, _ range: ClosedRange<Value>, _ what: String
    ) throws(UnitError) {
        guard range.contains(value) else {
            throw .invalidConfiguration(
                "\(what) of \(value) is out of range; use \(range.lowerBound) to \(range.upperBound)")
        }
    }

    /// Finds out whether the routes lead anywhere on this server. Thread: control.
    ///
    /// - Throws: `nothingMatches`, `jack`.
    public func checkRoutes(on client: borrowing some JackClient & ~Copyable) throws(UnitError) {
        _ = try engine.partners(on: client)
    }

    /// Of the shaper.
    package var parameters: Parameters {
        var parameters = Parameters()
        parameters.gain = Float(Decibels.linear(gainDecibels))
        parameters.drive = Float(Decibels.linear(driveDecibels))
        parameters.shape = shape
        parameters.antialiasing = antialiasing
        parameters.phase = phase
        parameters.hasMakeUpGain = hasMakeUpGain
        parameters.isBypassed = isBypassed
        parameters.isMuted = isMuted
        return parameters
    }
}

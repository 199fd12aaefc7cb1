import AudioDSP
import AudioRealtime
import Jack

/// What a unit is to be, checked once when the unit is made.
///
/// The properties of its setting are its own: `configuration.gainDecibels = -6`.
@dynamicMemberLookup
public struct UnitConfiguration: Sendable, Equatable {
    /// The JACK client's name; JACK may append a number where it is taken.
    public var clientName = "iounit"
    /// Refuses to start where the name is taken, rather than take another.
    public var requiresExactName = false
    /// Which server; `nil` for the default one.
    public var serverName: String?
    /// Inputs `in_1 … in_N` and outputs `out_1 … out_N`. 1…256.
    public var channels = 2
    /// What the shaper is set to.
    public var setting = ShaperSetting()
    /// What the shape `table` stands for, from the start to the end; without one it is the same as `hard`.
    public var shapeTable: ShapeTable?
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

    func check() throws(UnitError) {
        try Self.check(channels, Self.channelRange, "a number of channels")
        // A linear gain of 0 is silence.
        for field in ShaperSetting.fields where field.value(in: setting) != .number(-.infinity) {
            guard field.info.accepts(field.value(in: setting)) else {
                throw .invalidConfiguration("\(field.info.name) takes \(field.info.takes)")
            }
        }
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

    /// What can be read of the setting, and set.
    public subscript<Value>(dynamicMember path: WritableKeyPath<ShaperSetting, Value>) -> Value {
        get { setting[keyPath: path] }
        set { setting[keyPath: path] = newValue }
    }
}

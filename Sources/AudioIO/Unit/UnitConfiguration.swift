import AudioDSP
import AudioRealtime
import Jack

/// What a unit of a shaper is to be, checked once when the unit is made.
///
/// What an engine is in JACK's graph, and what the shaper is set to, are properties of its own: `configuration.serverName = "live"`,
/// `configuration.gainDecibels = -6`.
@dynamicMemberLookup
public struct UnitConfiguration: Sendable, Equatable {
    /// What the unit is in JACK's graph. It has as many inputs as outputs.
    public var engine = EngineConfiguration()
    /// What the shaper is set to.
    public var setting = ShaperSetting()
    /// What the shape `table` stands for, from the start to the end; without one it is the same as `hard`.
    public var shapeTable: ShapeTable?

    /// Two channels from the card to the card of the default server, bit for bit: gain 0 dB, no shape.
    public init() {}

    /// Inputs `in_1 … in_N` and outputs `out_1 … out_N`. 1…256.
    public var channels: Int {
        get { engine.outputChannels }
        set { (engine.inputChannels, engine.outputChannels) = (newValue, newValue) }
    }

    /// What `channels` may be.
    public static let channelRange = 1...256

    func check() throws(UnitError) {
        try Self.check(channels, Self.channelRange, "a number of channels")
        guard engine.inputChannels == channels else {
            throw .invalidConfiguration(
                "\(engine.inputChannels) inputs do not fit \(channels) outputs; a unit of a shaper has as many of both")
        }
        // A linear gain of 0 is silence.
        for field in ShaperSetting.fields where field.value(in: setting) != .number(-.infinity) {
            guard field.info.accepts(field.value(in: setting)) else {
                throw .invalidConfiguration("\(field.info.name) takes \(field.info.takes)")
            }
        }
        try engine.check()
    }

    package static func check<Value: Comparable>(
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

    /// What can be read of the engine's configuration, and set.
    public subscript<Value>(dynamicMember path: WritableKeyPath<EngineConfiguration, Value>) -> Value {
        get { engine[keyPath: path] }
        set { engine[keyPath: path] = newValue }
    }

    /// What can be read of the setting, and set.
    public subscript<Value>(dynamicMember path: WritableKeyPath<ShaperSetting, Value>) -> Value {
        get { setting[keyPath: path] }
        set { setting[keyPath: path] = newValue }
    }
}

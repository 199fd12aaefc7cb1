import AudioDSP
import AudioRealtime

/// Gain into a waveshaper, with what is done against its aliases: all that an `IOUnit` does to the sound.
///
/// Its properties are those of its setting: `shaper.driveDecibels = 12`. A change of gain or drive is a ramp, any other one a
/// crossfade. The latency follows from the setting, and the engine makes up for it in parallel paths.
@dynamicMemberLookup
public final class Shaper: Node {
    public let core: NodeCore
    private let group: ParameterGroup<ShaperSetting>
    private let hasTable: Bool

    /// - Parameters:
    ///   - shape: the curve.
    ///   - driveDecibels: −120…60; what lies outside is moved to the nearest end.
    ///   - antialiasing: at the cost of latency (see `Antialiasing`), which the engine makes up for in parallel paths.
    ///   - phase: how the filters of an oversampling delay the sound.
    ///   - table: what the shape `table` stands for; without one it is the same as `hard`.
    ///   - channels: 1…256; `nil` for as many as the engine has outputs.
    public convenience init(
        _ shape: Shape = .cubic, driveDecibels: Double = 0, antialiasing: Antialiasing = .off,
        phase: FilterPhase = .linear, table: ShapeTable? = nil, channels: Int? = nil
    ) {
        var setting = ShaperSetting()
        setting.shape = shape
        setting.driveDecibels = driveDecibels
        setting.antialiasing = antialiasing
        setting.phase = phase
        self.init(setting, table: table, channels: channels)
    }

    /// - Parameters:
    ///   - setting: see `ShaperSetting`.
    ///   - table: what the shape `table` stands for; without one it is the same as `hard`.
    ///   - channels: 1…256; `nil` for as many as the engine has outputs.
    public init(_ setting: ShaperSetting, table: ShapeTable? = nil, channels: Int? = nil) {
        group = ParameterGroup(setting)
        hasTable = table != nil
        core = NodeCore("shaper", channels: channels, driver: Driver(group, table))
    }

    /// All that can be set, at once.
    public var setting: ShaperSetting {
        get { group.value }
        set { group.value = newValue }
    }

    /// Changes several parameters at once. Thread: any but audio.
    ///
    /// - Parameter body: must not call the node, whose lock is held: that would be a deadlock.
    public func change(_ body: (inout ShaperSetting) -> Void) { group.change(body) }

    /// What can be read of the setting.
    public subscript<Value>(dynamicMember path: KeyPath<ShaperSetting, Value>) -> Value { group.value[keyPath: path] }

    /// What can be set of it.
    public subscript<Value>(dynamicMember path: WritableKeyPath<ShaperSetting, Value>) -> Value {
        get { group.value[keyPath: path] }
        set { change { $0[keyPath: path] = newValue } }
    }

    /// Without a table there is no such shape.
    public var parameters: [Parameter] {
        group.parameters.map { parameter in
            var parameter = parameter
            if case .choice(let words) = parameter.info.kind, !hasTable {
                parameter.info.kind = .choice(words.filter { $0 != Shape.table.name })
            }
            return parameter
        }
    }

    private final class Driver: NodeDriver {
        private let group: ParameterGroup<ShaperSetting>
        private let table: ShapeTable?

        init(_ group: ParameterGroup<ShaperSetting>, _ table: ShapeTable?) {
            self.group = group
            self.table = table
        }

        /// As the ports declare it: JACK knows whole frames.
        var latencyFrames: Int { Int(group.value.latencyFrames.rounded()) }
        /// Until the filters have settled.
        var settlingFrames: Int { group.value.settlingFrames }

        func makeBody(_ format: NodeFormat) -> NodeBody {
            let reader = group.makeReader()
            let setting = reader.last
            var shaper = ShaperState(
                reader.mailbox, parameters: setting, rampFrames: format.rampFrames,
                maximumFrames: Plan.maximumFrames, channels: format.channels, table: table)
            shaper.reset(rampFrames: format.rampFrames, sampleRate: format.sampleRate)
            return .shaper(Cell(shaper))
        }
    }
}

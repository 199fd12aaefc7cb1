import AudioRealtime

/// An I/O unit in callback mode: a JACK client that renders its inputs to its outputs within the same cycle, by the shortest
/// graph of nodes: input, shaper, output.
///
/// Made, then started, stopped and started again at will.
public final class IOUnit: ShaperUnit {
    /// As it was made with; `shaper` has what was changed since.
    public let configuration: UnitConfiguration
    public let shaper: Shaper
    public let client: UnitClient

    /// Checks the configuration and allocates everything that the audio thread will need.
    ///
    /// - Throws: `invalidConfiguration`.
    public convenience init(_ configuration: UnitConfiguration = UnitConfiguration()) throws(UnitError) {
        try self.init(configuration, behindShaper: [])
    }

    /// - Parameter effects: nodes of as many channels as the unit, in the order of the path; no engine has them yet.
    package init(_ configuration: UnitConfiguration, behindShaper effects: [any Node]) throws(UnitError) {
        try configuration.check()
        self.configuration = configuration
        shaper = Shaper(configuration.setting, table: configuration.shapeTable)
        client = UnitClient(configuration.engine, EngineGraph(configuration, [shaper] + effects))
    }

    deinit { stop() }

    /// The levels of the outputs.
    public var meters: Meters { client.graph.meters }

    /// Adds a tap on the outputs, to be read by one worker. Thread: control, while the unit runs too.
    ///
    /// - Parameter capacityFrames: how much may wait to be read, held in the bounds of ``Engine/tapReader(_:capacityFrames:)``.
    public func addTap(capacityFrames: Int) -> TapReader { client.graph.addOutputTap(capacityFrames: capacityFrames) }
}

extension EngineGraph {
    /// A row: input, nodes, output.
    ///
    /// - Parameter row: nodes of as many channels as the unit.
    convenience init(_ configuration: UnitConfiguration, _ row: [any Node]) {
        self.init(
            inputs: configuration.channels, outputs: configuration.channels,
            rampMilliseconds: configuration.rampMilliseconds)
        for node in row { attach(node) }
        let row: [any Node] = [input] + row + [output]
        do throws(NodeError) {
            for (node, next) in zip(row, row.dropFirst()) { try connect(node, to: next) }
        } catch {
            preconditionFailure("nodes of as many channels in a row: \(error)")
        }
    }

    /// A tap that stays.
    func addOutputTap(capacityFrames: Int) -> TapReader {
        do throws(NodeError) {
            return try tapReader(output, capacityFrames: capacityFrames)
        } catch {
            preconditionFailure("the output is always attached: \(error)")
        }
    }
}

import AudioIO

/// Ports of others that the far end is taken from: by a client beside the unit's, which only listens.
struct FarPorts {
    let engine: Engine
    /// The names of the ports when it was made.
    let names: [String]

    /// - Parameter run: that of the unit, before its start.
    /// - Returns: `nil` where no pattern matches.
    init?(_ patterns: [String], beside run: EngineRun) throws(UnitError) {
        let unit = run.unit.client.configuration
        var configuration = EngineConfiguration()
        configuration.clientName = "\(unit.clientName)-far"
        configuration.serverName = unit.serverName
        configuration.inputs = .firstOf(patterns)
        configuration.outputs = .none
        configuration.outputChannels = 1
        let sources: [String]
        do throws(UnitError) {
            sources = try run.partners(of: configuration).sources
        } catch {
            guard case .nothingMatches = error else { throw error }
            return nil
        }
        configuration.inputChannels = min(sources.count, 8)
        names = Array(sources.prefix(8))
        engine = try Engine(configuration, policy: run.engine.policy)
    }
}

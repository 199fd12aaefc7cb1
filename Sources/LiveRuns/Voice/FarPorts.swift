import AudioIO
import Jack

/// Ports of others that the far end is taken from: by a client beside the unit's, which only listens.
struct FarPorts {
    let engine: Engine
    /// The names of the ports when it was made.
    let names: [String]

    /// - Parameter unit: what the unit is.
    /// - Returns: `nil` where no pattern matches.
    init?(
        _ patterns: [String], beside unit: EngineConfiguration, _ policy: ReconnectPolicy, on client: borrowing Client
    ) throws(UnitError) {
        var configuration = EngineConfiguration()
        configuration.clientName = "\(unit.clientName)-far"
        configuration.serverName = unit.serverName
        configuration.inputs = .firstOf(patterns)
        configuration.outputs = .none
        configuration.outputChannels = 1
        let sources: [String]
        do throws(UnitError) {
            sources = try configuration.partners(on: client).sources
        } catch {
            guard case .nothingMatches = error else { throw error }
            return nil
        }
        configuration.inputChannels = min(sources.count, 8)
        names = Array(sources.prefix(8))
        engine = try Engine(configuration, policy: policy)
    }
}

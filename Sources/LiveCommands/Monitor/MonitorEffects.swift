import AudioIO
import LiveRuns
import Threads

/// What `monitor` does to the sound: equaliser, compressor and shaper, and behind the plug-ins a limiter, which holds what they
/// make.
struct MonitorEffects {
    let shaper: Shaper
    /// `nil` where nothing was asked for and no page may ask for it.
    let equaliser: Equaliser?
    /// `nil`, here and below, where it was not asked for.
    let compressor: Compressor?
    let limiter: Limiter?

    /// Reads the curve of `--shape-table`.
    init(_ options: MonitorOptions) throws(FileError) {
        let channels = options.channels
        shaper = Shaper(options.shaper, table: try options.shapeTable())
        let bands = options.equaliserBands
        equaliser = bands.isEmpty ? nil : Equaliser(bands, channels: channels)
        equaliser?.isBypassed = options.shaper.isBypassed
        compressor = options.effects.compressor.map { Compressor($0, channels: channels) }
        limiter = options.effects.limiter.map { Limiter($0, channels: channels) }
    }

    var ofRun: RunEffects {
        let named: [(path: String, node: (any Node)?)] = [
            ("", shaper), ("eq/", equaliser), ("compressor/", compressor), ("limiter/", limiter),
        ]
        return RunEffects(
            before: [equaliser as (any Node)?, compressor, shaper].compactMap(\.self),
            behind: [limiter].compactMap(\.self),
            named: named.compactMap { path, node in node.map { (path: path, node: $0) } })
    }

    /// How compressor and limiter stand.
    var now: Effects { Effects(compressor: compressor?.setting, limiter: limiter?.setting) }
}

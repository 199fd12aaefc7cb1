import AudioFigures
import AudioIO
import CommandSyntax

/// Makes effects for so many channels, and for a sample rate in hertz.
package typealias EffectMaker = @Sendable (_ channels: Int, _ sampleRate: Int) throws -> any MeasuredEffects

/// What `jitter` puts into the way of its unit's sound that another module makes, as plug-ins.
package typealias JitterEffects = ForeignOptions<EffectMaker>

/// Effects of a unit that is measured: nodes in a row, and which of them took the time when the unit was late.
package protocol MeasuredEffects: AnyObject {
    var row: [any Node] { get }
    /// Why the sound goes by one of them; `nil` where it goes through all.
    var flaw: (any Error)? { get }
    /// From here on counts who makes the unit late.
    ///
    /// - Parameter losses: how often it was late so far, here and below.
    func beginCounting(losses: UInt64)
    /// Looks whether the unit was late, and who took the time: ten times a second.
    ///
    /// - Returns: sentences, where one is named for the first time.
    func look(losses: UInt64) -> [String]
    /// Who made the unit late last, in words; `nil` where nobody did.
    var trouble: String? { get }
    /// Shows what they have said. Once, when nothing is rendered any more.
    func tellNotices()
    var reports: [PluginReport] { get }
}

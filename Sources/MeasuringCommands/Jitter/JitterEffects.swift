import AudioFigures
import AudioIO
import AudioReports
import CommandSyntax

/// What `jitter` puts into the way of its unit's sound that another module makes, as plug-ins, which what only measures does not
/// load.
package struct JitterEffects: Sendable {
    /// Makes them for a unit.
    ///
    /// - Parameters:
    ///   - channels: of the unit.
    ///   - sampleRate: of the server, in hertz.
    package typealias Make = @Sendable (_ channels: Int, _ sampleRate: Int) throws -> MeasuredEffects

    private let makeOptions: @Sendable () -> [Option]
    let search: @Sendable (Arguments) throws(Failure) -> Make?

    /// - Parameters:
    ///   - options: in the order of the help. Evaluated at their use, as a subcommand's syntax.
    ///   - search: reads them; `nil` where none of them is given.
    package init(
        _ options: @autoclosure @escaping @Sendable () -> [Option],
        search: @escaping @Sendable (Arguments) throws(Failure) -> Make?
    ) {
        (makeOptions, self.search) = (options, search)
    }

    var options: [Option] { makeOptions() }

    /// There are none.
    package static let none = JitterEffects([]) { _ in nil }
}

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

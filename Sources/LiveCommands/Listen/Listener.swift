import AudioMetering
import AudioRealtime
import AudioReports
import TerminalPages
import Threads

/// What a subcommand finds in the sound that it listens to: the beats of a heart, the pitch of a voice.
protocol Listener {
    associatedtype Analyzer: SoundAnalyzer
    associatedtype Meter: SoundMeter
    associatedtype Figures: ListenFigures

    /// For a file.
    func analyzer(sampleRate: Int, channels: Int) throws(MeterError) -> Analyzer
    /// For the ports of a server.
    func meter(sampleRate: Int, channels: Int) throws(MeterError) -> Meter
    /// Keeps what was found up to a moment of a file.
    mutating func note(_ analyzer: Analyzer, atSeconds seconds: Double)
    /// Keeps what was found since the last look.
    mutating func note(_ meter: Meter)
    /// - Parameter file: `nil` for the ports of a server.
    func figures(file: String?, seconds: Double) -> Figures
    /// The same with the end of what it has kept, for who asks each second: what grows with the time takes ever longer.
    var recent: Self { get }
    /// What is found at the moment, or why nothing is: the most important first.
    func words(_ meter: Meter) -> [Page.Part]
    /// What is found at the moment as a picture of so many rows of a page, or fewer.
    func picture(_ meter: Meter, _ page: Page, rows: Int) -> [String]
}

extension Listener {
    var recent: Self { self }
}

/// A meter of `AudioMetering`, of which a listener is made.
protocol SoundMeter: AnyObject {
    func start(_ tap: consuming TapReader) throws(ResourceError)
    func finish()
    var droppedFrames: UInt64 { get }
}

extension HeartbeatMeter: SoundMeter {}
extension PitchMeter: SoundMeter {}

/// What was found, and the summary for people made from it.
protocol ListenFigures: Reported {
    /// The subcommand's.
    static var name: String { get }
    /// Of all that was heard.
    var seconds: Double { get }
    var summary: String { get }
}

/// Rounded to one part in `parts`, so that no digits are shown that mean nothing.
func rounded(_ value: Double, _ parts: Double) -> Double { (value * parts).rounded() / parts }

extension Array {
    /// Of what rises, the median; `nil` where there is none.
    var middle: Element? { isEmpty ? nil : self[count / 2] }
}

extension ListenFigures {
    /// For the summary.
    ///
    /// - Parameter share: of the readings, those that found something.
    func sureness(_ share: Double?) -> String {
        share.map { $0 < 1 ? ", sure in \(fixed(100 * $0, 0)) % of the time" : "" } ?? ""
    }
}

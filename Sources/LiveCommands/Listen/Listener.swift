import AudioMetering
import AudioRealtime
import AudioReports
import TerminalPages
import Threads

/// What a subcommand finds in the sound that it listens to: the beats of a heart, the pitch of a voice.
protocol Listener {
    associatedtype Log: ListenLog
    associatedtype Figures: ListenFigures

    /// - Parameter file: `nil` for the ports of a server.
    func figures(_ log: Log, file: String?, seconds: Double) -> Figures
    /// What is found at the moment, or why nothing is: the most important first.
    func words(_ meter: Log.Meter) -> [Page.Part]
    /// What is found at the moment as a picture of so many rows of a page, or fewer.
    func picture(_ meter: Log.Meter, _ log: Log, _ page: Page, rows: Int) -> [String]
}

/// What was found in a run or a file so far.
protocol ListenLog {
    /// For a file.
    associatedtype Analyzer: ListenAnalyzer
    /// For the ports of a server.
    associatedtype Meter: SoundMeter

    init()
    /// Keeps what was found up to a moment of a file.
    mutating func note(_ analyzer: Analyzer, atSeconds seconds: Double)
    /// Keeps what was found since the last look.
    mutating func note(_ meter: Meter)
    /// The end of it, for who asks each second: what grows with the time takes ever longer.
    var recent: Self { get }
}

/// An analyzer of `AudioMetering` that takes any sound.
protocol ListenAnalyzer: SoundAnalyzer {
    init(sampleRate: Int, channels: Int) throws(MeterError)
}

extension HeartbeatAnalyzer: ListenAnalyzer {}
extension PitchAnalyzer: ListenAnalyzer {}

/// A meter of `AudioMetering`, of which a listener is made.
protocol SoundMeter: AnyObject {
    init(sampleRate: Int, channels: Int) throws(MeterError)
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

/// Rounded to one part in `parts`, so that no digits are shown that mean nothing. Adding 0 turns -0 into 0, which JSON would
/// print with its sign.
func rounded(_ value: Double, _ parts: Double) -> Double { (value * parts).rounded() / parts + 0 }

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

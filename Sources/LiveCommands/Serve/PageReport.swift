import AudioFigures
import AudioReports
import AudioStreaming

/// What a page has done, in the report of a run.
struct PageReport: Encodable {
    /// Without a token.
    var address: String
    /// How often somebody began to listen, and how many did at once.
    var listenings: UInt64
    var mostListeners: Int
    var sentPackets: UInt64
    var sentBytes: UInt64
    /// Packets that listeners did not take.
    var lostPackets: UInt64
    /// Requests that were refused.
    var refusals: UInt64
    /// Frames that found no room on their way to the encoders.
    var droppedFrames: UInt64

    init(_ page: LivePage) {
        let figures = page.server.figures
        address = page.server.url
        listenings = figures.listenings
        mostListeners = figures.mostListeners
        sentPackets = figures.sentPackets
        sentBytes = figures.sentBytes
        lostPackets = figures.lostPackets
        refusals = figures.refusals
        droppedFrames = page.droppedFrames
    }

    var summary: String {
        var parts = [
            "page \(address)", listenings == 1 ? "heard once" : "heard \(listenings) times",
            "\(sentPackets) packets", size(Int(clamping: sentBytes)),
        ]
        if mostListeners > 1 { parts.append("\(mostListeners) at once") }
        if lostPackets > 0 { parts.append("\(lostPackets) packets not taken") }
        if refusals > 0 { parts.append("\(refusals) requests refused") }
        if droppedFrames > 0 { parts.append("\(droppedFrames) frames DROPPED, because this machine was too slow") }
        return parts.joined(separator: ", ")
    }
}

import AudioReports
import AudioStreaming

package struct PageReport: PartReport {
    package static let field = (name: "page", meaning: "what the page has done; null where there is none")

    var address: String
    var figures: PageFigures
    var droppedFrames: UInt64

    package static let fields: [ReportField<Self>] = [
        .field("address", "where it was, without a token", \.address),
        .field("listenings", "how often somebody began to listen", \.figures.listenings),
        .field("mostListeners", "the most that listened at once", \.figures.mostListeners),
        .field("sentPackets", "to all listeners together", \.figures.sentPackets),
        .field("sentBytes", "of streams, to all listeners together", \.figures.sentBytes),
        .field("lostPackets", "that listeners did not take", \.figures.lostPackets),
        .field("refusals", "requests that were refused", \.figures.refusals),
        .field(
            "droppedFrames", "what found no room on its way to the encoders, or was left at the end", unit: .frames,
            \.droppedFrames),
    ]

    package var lines: [String] {
        var parts = [
            "page \(address)", "heard \(timesInWords(figures.listenings))",
            counted(figures.sentPackets, "packet"), size(Int(clamping: figures.sentBytes)),
        ]
        if figures.mostListeners > 1 { parts.append("\(figures.mostListeners) at once") }
        if figures.lostPackets > 0 { parts.append("\(counted(figures.lostPackets, "packet")) not taken") }
        if figures.refusals > 0 { parts.append("\(counted(figures.refusals, "request")) refused") }
        if droppedFrames > 0 {
            parts.append("\(counted(droppedFrames, "frame")) DROPPED, because this machine was too slow")
        }
        return ["  " + parts.joined(separator: ", ")]
    }
}

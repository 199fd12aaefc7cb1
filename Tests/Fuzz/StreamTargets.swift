import AudioFiles
import AudioReports
import AudioStreaming

extension Target {
    /// What a network brings: the opening of a stream on the first line, then packets, which are decoded.
    static let packets = Target(name: "packets") { bytes in
        let line = bytes.prefix { $0 != 10 }
        var rest = bytes.dropFirst(line.count + 1)
        do {
            let opening = try StreamOpening(text: text(Array(line)))
            require(try StreamOpening(text: opening.text) == opening, "an opening is read again as another")
            var decoder = try StreamDecoder(opening)
            while let packet = try StreamPacket.take(from: &rest) {
                require(packet.payload.count <= bytes.count, "more payload than bytes")
                require(try StreamPacket(packet.bytes) == packet, "a packet is read again as another")
                if let heard = try? decoder.decode(packet) {
                    require(heard.frames <= Int(packet.frames), "\(heard.frames) frames of \(packet.frames)")
                }
                _ = try? decoder.conceal(frames: Int(packet.frames), before: packet)
            }
        } catch {
            requireHarmless(shown("\(error)"), "an error")
        }
    }
}

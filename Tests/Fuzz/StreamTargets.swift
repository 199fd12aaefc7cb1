import AudioFiles
import AudioReports

@testable import AudioStreaming

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

    /// What a client of the page brings, a part on each line: path, host, origin, authorization, and a message.
    static let requests = Target(name: "requests") { bytes in
        let lines = text(bytes).split(separator: "\n", maxSplits: 4, omittingEmptySubsequences: false).map(String.init)
        func line(_ index: Int) -> String? { index < lines.count && !lines[index].isEmpty ? lines[index] : nil }
        let parts = (line(0) ?? "").dropFirst().split(separator: "?", maxSplits: 1).map(String.init)
        var request = PageRequest(path: parts.first ?? "/")
        request.arguments = (parts.count > 1 ? parts[1] : "").split(separator: "&").map { argument in
            let pair = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            return (pair[0], pair.count > 1 ? pair[1] : "")
        }
        (request.host, request.origin, request.authorization) = (line(1), line(2), line(3))
        (request.isUpgrade, request.version) = (lines.first?.first == "U", "13")
        do {
            var configuration = PageConfiguration(PageAddress(host: "0.0.0.0"))
            configuration.token = try AccessToken("abcdefgh12")
            configuration.hasControls = true
            switch PageAccess(configuration, machineName: "stage").judge(request) {
            case .packets, .file, .live, .status, .metrics:
                require(
                    request.token == "abcdefgh12", "what is private is open to \(request.token ?? "nobody")")
            case .resource, .health: break
            case .refused(let status, let sentence):
                require((400...499).contains(status), "a refusal with \(status)")
                requireHarmless(sentence, "a refusal")
            }
            if let address = line(1).flatMap({ try? PageAddress($0) }) {
                require(try PageAddress("\(address)") == address, "an address is read again as another")
            }
            _ = try PageControl(text: line(4) ?? "")
        } catch {
            requireHarmless(shown("\(error)"), "an error")
        }
    }
}

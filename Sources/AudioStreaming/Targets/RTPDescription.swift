/// What a receiver of RTP must know before (SDP, RFC 8866).
struct RTPDescription {
    /// Of the packets: a number that only the description gives a meaning to.
    static let payloadType: UInt8 = 96

    let target: StreamTarget
    let opening: StreamOpening
    var hasForwardErrorCorrection = false

    /// Of the time stamps, in hertz.
    var clockRate: Int { opening.codec.rtp?.clockRate ?? opening.rate }

    /// Whether the address is one of IPv4 that many may listen at. It comes with how many networks a packet may cross: one,
    /// which is what the kernel gives it.
    private var isMulticast: Bool {
        let parts = target.host.split(separator: ".", omittingEmptySubsequences: false).map { UInt8($0) }
        return parts.count == 4 && !parts.contains(nil) && (224...239).contains(parts[0] ?? 0)
    }

    /// With the ends of lines that the form has.
    var text: String {
        let family = target.host.contains(":") ? "IP6" : "IP4"
        let loopback = family == "IP6" ? "::1" : "127.0.0.1"
        var lines = [
            // The number of the session is to be another for each: the time has that.
            "v=0", "o=- \(opening.wallNanoseconds / 1_000_000_000) 1 IN \(family) \(loopback)",
            "s=iounit",
            // The network behind a percent sign is this machine's.
            "c=IN \(family) \(target.host.prefix { $0 != "%" })\(isMulticast ? "/1" : "")", "t=0 0",
            "m=audio \(target.port) RTP/AVP \(Self.payloadType)",
        ]
        if let form = opening.codec.rtp {
            let channels = form.describedChannels ?? opening.channels
            lines.append("a=rtpmap:\(Self.payloadType) \(form.name)/\(clockRate)/\(channels)")
            let parameters = form.parameters?(opening, hasForwardErrorCorrection)
            if let parameters { lines.append("a=fmtp:\(Self.payloadType) \(parameters)") }
        }
        let milliseconds = Double(opening.packetFrames) * 1000 / Double(opening.rate)
        lines.append(
            "a=ptime:\(milliseconds == milliseconds.rounded() ? "\(Int(milliseconds))" : "\(milliseconds)")"
        )
        return lines.map { "\($0)\r\n" }.joined()
    }
}

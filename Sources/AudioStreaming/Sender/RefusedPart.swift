extension StreamSender {
    /// What a stream can be refused for. Each setting is behind those that it may depend on.
    package enum RefusedPart: Sendable, CaseIterable {
        case codec, channels, sampleRate, frameMilliseconds, bitRate, forwardErrorCorrection
    }

    /// What is to blame where targets cannot be sent a stream: the codec or the channels by themselves; else each setting that is
    /// refused beside them and the settings before it.
    ///
    /// - Parameters:
    ///   - targets, settings, sampleRate, channels: as of `check`, which throws `unsupported` for them.
    package static func refusedParts(
        _ targets: [StreamTarget], _ settings: CodecSettings, sampleRate: Int, channels: Int
    ) -> [RefusedPart] {
        func isFine(_ targets: [StreamTarget], _ settings: CodecSettings) -> Bool {
            (try? check(targets, settings, sampleRate: sampleRate, channels: channels)) != nil
        }
        var kept = CodecSettings(settings.codec)
        guard isFine(targets, kept) else {
            return targets.allSatisfy { isFine([$0], CodecSettings($0.usualCodec)) } ? [.codec] : [.channels]
        }
        return RefusedPart.allCases.filter { part in
            var asked = kept
            switch part {
            case .codec, .channels: break
            case .sampleRate: asked.sampleRate = settings.sampleRate
            case .frameMilliseconds: asked.frameMilliseconds = settings.frameMilliseconds
            case .bitRate: asked.bitRate = settings.bitRate
            case .forwardErrorCorrection: asked.hasForwardErrorCorrection = settings.hasForwardErrorCorrection
            }
            guard isFine(targets, asked) else { return true }
            kept = asked
            return false
        }
    }
}

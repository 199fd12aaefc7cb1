import Threads

/// Which library processes the voice.
public enum VoiceEngine: String, Sendable, CaseIterable {
    /// WebRTC's audio processing module, version 0.3: takes more of the echo away, and with it more of who speaks meanwhile.
    /// For meetings.
    case webrtc
    /// SpeexDSP: leaves who speaks or sings over the echo nearly as loud as before.
    case speex

    /// Loads the library. Thread: any that may block.
    ///
    /// - Throws: where it is not installed.
    func load() throws(MissingLibrary) {
        switch self {
        case .webrtc: try OptionalLibrary.libwebrtc.load()
        case .speex: try OptionalLibrary.libspeexdsp.load()
        }
    }
}

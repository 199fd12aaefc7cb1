import AudioStreaming
import Testing

@testable import CommandSyntax
@testable import LiveCommands
@testable import LiveRuns

@Suite("What iounit send is asked to do") struct SendOptionsTests {
    private func options(_ words: String) throws -> SendOptions {
        try SendOptions(words.split(separator: " ").map(String.init))
    }

    private func refusal(_ words: String) -> String {
        let failure = #expect(throws: Failure.self) { try options(words) }
        #expect(failure?.code == .usage, "\(words): \(failure?.message ?? "")")
        return failure?.message ?? ""
    }

    @Test func `it is transparent, and hears the capture ports where nothing is said`() throws {
        let options = try options("tcp://host:9")
        #expect(options.unit.gainDecibels == 0 && options.seconds == nil && options.unit.reconnect.consent == .never)
        #expect(options.unit.engine.inputChannels == 2 && options.unit.engine.outputs == .none)
        #expect(options.unit.engine.inputs == .physical && options.stream.descriptionPath == nil)
    }

    @Test func `each kind of target has a codec of its own, and what is alike is one stream`() throws {
        let words =
            "tcp://a:1 rtp://a:2 file:a.opus file:b.WAV file:pipe rtp://b:2 file:c.flac ws://a:4/x wss://b:443 file:a.mp3 "
            + "icecast://source@a:8000/b.mp3"
        let options = try options(words)
        #expect(options.stream.streams.map(\.settings.codec) == [.flac, .opus, .float, .mp3])
        #expect(
            options.stream.streams.map { $0.targets.map { "\($0)" } } == [
                ["tcp://a:1", "file:pipe", "file:c.flac", "ws://a:4/x", "wss://b:443"],
                ["rtp://a:2", "file:a.opus", "rtp://b:2"], ["file:b.WAV"],
                ["file:a.mp3", "icecast://source@a:8000/b.mp3"],
            ])
        #expect(options.stream.targets.map { "\($0)" } == words.split(separator: " ").map(String.init))
        #expect(
            try self.options("tcp://a:1 rtp://a:2 ws://a:4/x --codec pcm16").stream.streams.map(\.settings.codec) == [
                .pcm16
            ])
    }

    @Test func `numbers have units`() throws {
        let options = try options(
            "rtp://host:5004 --stream-rate 16k --bitrate 32k --frame 60 --fec --seconds 1:30 --gain -3dB --sdp a.sdp")
        let settings = options.stream.streams[0].settings
        #expect(settings.sampleRate == 16_000 && settings.bitRate == 32_000 && settings.frameMilliseconds == 60)
        #expect(settings.hasForwardErrorCorrection && options.seconds == 90 && options.unit.gainDecibels == -3)
        #expect(options.stream.descriptionPath == "a.sdp" && !options.stream.replaces)
        #expect(
            try self.options("rtp://host:1 tcp://host:1 --frame 10").stream.streams.map(\.settings.frameMilliseconds)
                == [
                    10, nil,
                ])
    }

    @Test func `what no target or codec has is refused with the reason, before anything is begun`() {
        for (words, reason) in [
            ("", "needs a target"), ("tcp://a:1 tcp://a:1", "named twice"), ("http://a:1", "ws://HOST:PORT/PATH"),
            ("host:9", "tcp://HOST:PORT"), ("tcp://host", "no port"), ("tcp://host:1 --codec aac", "opus, flac"),
            ("tcp://host:1 --bitrate 96k", "bit rate"), ("tcp://host:1 --codec mp3 --bitrate 97k", "96k, 112k"),
            ("tcp://host:1 --codec opus --bitrate 600k", "12000 to 512000"),
            ("tcp://host:1 --codec opus --fec", "correction"), ("rtp://host:1 --codec flac", "opus, pcm16 or pcm24"),
            ("rtp://host:1 --codec float", "opus, pcm16 or pcm24"), ("rtp://host:1 --channels 3", "up to 2 channels"),
            ("tcp://host:1 --channels 9", "1 to 8 channels"), ("rtp://host:1 --stream-rate 44.1k", "48000, 24000"),
            ("rtp://host:1 --frame 7", "2.5, 5, 10"), ("rtp://host:1 --frame 5 --fec", "10 ms or more"),
            ("rtp://host:1 --bitrate 100", "out of range"), ("rtp://host:1 --bitrate fast", "96k"),
            ("tcp://host:1 --frame 10", "--frame is for RTP, WebSocket and Icecast"),
            ("tcp://host:1 --token env:A", "--token is for a WebSocket"),
            ("tcp://host:1 --stream-title a", "--stream-title is for Icecast"),
            ("icecast://host/a --codec pcm16", "opus, flac or mp3"), ("ws://host/a --codec mp3", "opus, flac, pcm16"),
            ("rtp://host:1 --codec mp3", "opus, pcm16 or pcm24"),
            ("icecast://host/a.mp3 --channels 3", "1 or 2 channels"),
            ("icecast://host/a.mp3 --bitrate 100k", "96k, 112k"),
            ("icecast://host/a.mp3 --stream-rate 96k", "48000, 44100"),
            ("icecast://host/a.mp3 --frame 20", "1152 frames"), ("icecast://host/a.mp3 --fec", "only Opus"),
            ("icecast://host/a --stream-title=", "1 to 500 bytes"),
            ("ws://host:1 --tls-ca a", "wss://"),
            ("ws://host:1 --token secret", "file:PATH or env:NAME"), ("wss://host:1 --tls-ca=", "name of a file"),
            ("ws://host:1 --frame 1000 --codec float --channels 8", "MiB"), ("ws://host:1/?token=a", "--token"),
            ("ws://host:1 --codec flac --channels 9", "1 to 8 channels"),
            ("tcp://host:1 --sdp a.sdp", "--sdp is for RTP"),
            ("rtp://host:1 rtp://host:3 --sdp a.sdp", "there are 2"), ("rtp://host:1 --sdp -", "name of a file"),
            ("rtp://host:1 --force", "--sdp"), ("tcp://host:1 --seconds 0", "takes a time"),
            ("tcp://host:1 --stream-rate 999", "1000 to 768000"), ("tcp://host:1 --rate 44100", "--dummy"),
            ("tcp://host:1 --no-connect --input x", "exclude each other"),
            ("tcp://host:1 --dummy --reconnect auto", "--dummy"),
        ] {
            #expect(refusal(words).contains(reason), "\(words): \(refusal(words))")
        }
    }

    @Test(arguments: ["icecast://source:secret@host:0/mount", "tcp://me:secret@host:80", "source:secret@host"])
    func `a password is in no error`(word: String) {
        let said = refusal(word)
        #expect(!said.contains("secret") && said.contains("...@host"), "\(said)")
    }
}

import AudioFiles
import Foundation
import TestSupport
import Testing
import Threads

@testable import AudioStreaming

/// That a codec is one value: this one is none of the sources', and is sent and received as any other.
@Suite("A codec that is registered") struct ToyCodecTests {
    private static let isRegistered: Void = Codec.register(.toy)
    init() { Self.isRegistered }

    /// What a source gives, as floats, until so many frames of sound came.
    private func heard(_ source: any StreamSource, frames: Int) throws -> [Float] {
        let deadline = MonotonicClock.nanoseconds() + 30_000_000_000
        var decoder: StreamDecoder?
        var heard: [Float] = []
        while heard.count < frames * (decoder?.opening.channels ?? 1) {
            try #require(MonotonicClock.nanoseconds() < deadline, "\(heard.count) samples came")
            for event in try source.receive(untilNanoseconds: MonotonicClock.nanoseconds() + 20_000_000) {
                switch event {
                case .opening(let opening):
                    #expect(opening.codec == .toy)
                    decoder = try StreamDecoder(opening)
                case .packet(let packet, _, _):
                    if let buffer = try decoder?.decode(packet) { heard += floats(buffer) }
                case .failed(let error): throw error
                case .container, .reached, .time, .leftOut, .ended, .finished: break
                }
            }
        }
        return heard
    }

    @Test func `is found by its name, and only by it`() {
        #expect(Codec.named("toy") == .toy && Codec.named("toys") == nil && Codec.all.contains(.toy))
        #expect(StreamTarget.Kind.rtp.codecs.contains(.toy) && !StreamTarget.Kind.icecast.codecs.contains(.toy))
        #expect(PageServer.streamPaths.contains("/stream.toy"))
    }

    @Test func `goes by RTP as its description says, to the bit`() throws {
        let sound = steppedNoise(frames: 24_000, channels: 2, bits: 16)
        let target = try StreamTarget("rtp://127.0.0.1:\(try freePorts())")
        let sender = try StreamSender(to: [target], CodecSettings(.toy), sampleRate: 48000, channels: 2)
        let description = try SessionDescription(Array(sender.sessionDescriptions[0].text.utf8))
        #expect(sender.sessionDescriptions[0].text.contains("a=fmtp:96 bits=16\r\n"))
        let source = try StreamOrigin(description).open { true }
        try sender.send(sound, channels: 2, sampleRate: 48000, speed: 4)
        sender.finish(within: 20)
        #expect(try heard(source, frames: 24_000) == sound)
    }

    @Test(arguments: ["ws://127.0.0.1:%d/stream?codec=toy", "http://127.0.0.1:%d/stream.toy"])
    func `is heard from the page, in packets and in pages of Ogg`(address: String) throws {
        let tone = try ServedTone()
        let word = address.replacing("%d", with: "\(tone.server.address.port)")
        let origin = try StreamOrigin(word, payload: RTPPayload(.toy, sampleRate: 48000, channels: 2))
        let deadline = MonotonicClock.nanoseconds() + 30_000_000_000
        let heard = try heard(origin.open { MonotonicClock.nanoseconds() < deadline }, frames: 9600)
        // A period of the tone is 48 frames, and no packet begins within one.
        let due = (0..<9600).flatMap { frame in
            let sample = (0.5 * sin(2 * Float.pi * Float(frame % 48) / 48) * 32768).rounded(.toNearestOrEven) / 32768
            return [sample, sample]
        }
        #expect(Array(heard.prefix(19_200)) == due)
    }

    @Test func `is refused where it has no form, in a sentence that lists what has`() throws {
        for (word, reason) in [("icecast://localhost/a", "Icecast is sent "), ("file:a.toy", "a file is sent ")] {
            let error = #expect(throws: StreamError.self) {
                try StreamSender.check([StreamTarget(word)], CodecSettings(.toy), sampleRate: 48000, channels: 1)
            }
            #expect(error?.reason.hasPrefix("\(reason)opus, flac") == true && error?.kind == .unsupported)
            #expect(error?.reason.hasSuffix(", and not toy") == true, "\(error?.reason ?? "")")
        }
    }
}

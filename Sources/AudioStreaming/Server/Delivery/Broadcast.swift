import AudioFiles
import Synchronization

/// Encodes what a node renders for any number of listeners: each codec once, and only while somebody listens.
final class Broadcast: StreamSink {
    /// A packet on its way to all listeners of a codec.
    struct Piece: Sendable {
        var codec: Codec
        /// Of the encoding: those who listened to an earlier one have lost the thread.
        var generation: Int
        var packet: StreamPacket
        /// For one who gets this packet first.
        var opening: StreamOpening
        /// What a decoder needs that gets this packet first.
        var header: StreamPacket?
    }

    private final class Encoding {
        var encoder: StreamEncoder
        let generation: Int

        init(_ encoder: consuming StreamEncoder, generation: Int) {
            self.encoder = encoder
            self.generation = generation
        }
    }

    private struct State {
        var encodings: [Codec: Encoding] = [:]
        /// Of the next frame that comes in, at the rate that the broadcast began with.
        var frame = 0.0
        var generations = 0
    }

    private let state = Mutex(State())
    private let wanted = Mutex<Set<Codec>>([])
    private let configuration: PageConfiguration
    private let sampleRate: Int
    private let channels: Int
    private let deliver: @Sendable ([Piece]) -> Void
    private let fail: @Sendable (Codec) -> Void

    /// - Parameters:
    ///   - deliver: takes packets, in their order.
    ///   - fail: takes a codec that does not work any more.
    init(
        _ configuration: PageConfiguration, sampleRate: Int, channels: Int,
        deliver: @escaping @Sendable ([Piece]) -> Void, fail: @escaping @Sendable (Codec) -> Void
    ) {
        self.configuration = configuration
        self.sampleRate = sampleRate
        self.channels = channels
        self.deliver = deliver
        self.fail = fail
    }

    /// Which codecs somebody listens to. Thread: the server's.
    func want(_ codecs: Set<Codec>) { wanted.withLock { $0 = codecs } }

    /// Why there is no stream of a codec from what comes; `nil` where there is one.
    func refusal(_ codec: Codec) -> StreamError? {
        do throws(StreamError) {
            _ = try configuration.settings(codec).makeEncoder(inputRate: sampleRate, channels: channels)
            return nil
        } catch {
            return error
        }
    }

    func send(_ buffer: PCMBuffer, wallNanoseconds: Int64) throws(StreamError) {
        update { (encoder) throws(StreamError) in
            try encoder.encode(buffer, wallNanoseconds: wallNanoseconds)
        }
        let frames = Double(buffer.frames) * Double(sampleRate) / Double(buffer.format.sampleRate)
        state.withLock { $0.frame += frames }
    }

    func gap(nanoseconds: UInt64, cause: String, wallNanoseconds: Int64) throws(StreamError) {
        update { (encoder) throws(StreamError) in
            try encoder.gap(nanoseconds: nanoseconds, cause: cause, wallNanoseconds: wallNanoseconds)
        }
        state.withLock { $0.frame += Double(nanoseconds) * Double(sampleRate) / 1e9 }
    }

    /// Sends what the encoders hold back, at the end of the sound. Calling it again does nothing.
    func finish() {
        update { (encoder) throws(StreamError) in try encoder.finish() }
        want([])
    }

    private func update(_ encode: (inout StreamEncoder) throws(StreamError) -> [StreamPacket]) {
        let wanted = wanted.withLock { $0 }
        var failed: [Codec] = []
        let pieces = state.withLock { state in
            for codec in state.encodings.keys where !wanted.contains(codec) { state.encodings[codec] = nil }
            var pieces: [Piece] = []
            for codec in wanted {
                do throws(StreamError) {
                    if state.encodings[codec] == nil { try begin(codec, &state) }
                    guard let encoding = state.encodings[codec] else { continue }
                    for packet in try encode(&encoding.encoder) {
                        pieces.append(
                            Piece(
                                codec: codec, generation: encoding.generation, packet: packet,
                                opening: encoding.encoder.opening(at: packet),
                                header: encoding.encoder.header(before: packet)))
                    }
                } catch {
                    state.encodings[codec] = nil
                    failed.append(codec)
                }
            }
            return pieces
        }
        if !pieces.isEmpty { deliver(pieces) }
        for codec in failed { fail(codec) }
    }

    private func begin(_ codec: Codec, _ state: inout State) throws(StreamError) {
        state.generations += 1
        state.encodings[codec] = Encoding(
            try StreamEncoder(
                configuration.settings(codec), sampleRate: sampleRate, channels: channels,
                firstFrame: UInt64(max(0, state.frame).rounded())), generation: state.generations)
    }
}

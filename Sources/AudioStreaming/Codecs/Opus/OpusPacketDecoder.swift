import AudioFiles
import COpus

/// Opus, with what libopus has against loss: the coarse copy in the next packet, and concealment.
@safe final class OpusPacketDecoder: PacketDecoder {
    private let format: StreamFormat
    private let opening: StreamOpening
    private var decoder: OpaquePointer?
    /// 120 ms are the most that a packet holds.
    private let limitFrames: Int
    /// What was made up beyond what was asked for, interleaved: libopus does so in steps of 2.5 ms.
    private var surplus: [Float] = []

    init(_ opening: StreamOpening) throws(StreamError) {
        guard opening.codec.sampleRates?.contains(opening.rate) == true else {
            throw opening.bad("it has no \(opening.rate) hertz")
        }
        self.opening = opening
        format = opening.format
        limitFrames = opening.rate * 120 / 1000
        // One or two channels need no header.
        guard opening.channels <= 2 else { return }
        try open(
            OpusHead(
                channels: opening.channels, preSkip: 0, inputRate: opening.rate, family: 0, streams: 1,
                coupledStreams: opening.channels - 1, mapping: Array([0, 1].prefix(opening.channels))))
    }

    deinit { close() }

    private func close() {
        if let decoder = unsafe decoder { unsafe opus_multistream_decoder_destroy(decoder) }
        unsafe decoder = nil
    }

    func begin(_ header: [UInt8]) throws(StreamError) {
        guard let head = OpusHead(header), head.channels == format.channels else {
            throw opening.bad("its header is none, or of another number of channels")
        }
        try open(head)
    }

    private func open(_ head: OpusHead) throws(StreamError) {
        close()
        var failure: CInt = 0
        let places = head.family == 1 ? Loudspeaker.vorbisPlaces(head.channels) : nil
        // SAFETY: the mapping has as many bytes as there are channels.
        unsafe decoder = opus_multistream_decoder_create(
            Int32(format.sampleRate), CInt(format.channels), CInt(head.streams), CInt(head.coupledStreams),
            places?.map { head.mapping[$0] } ?? head.mapping, &failure)
        guard unsafe failure == OPUS_OK && decoder != nil else {
            throw StreamError(.codec, "decode opus", "libopus refuses it: \(opusError(failure))")
        }
        if let decoder = unsafe decoder { _ = unsafe copus_set_gain(decoder, Int32(head.gain)) }
    }

    func reset() {
        surplus = []
        if let decoder = unsafe decoder { _ = unsafe copus_reset_decoder(decoder) }
    }

    func decode(_ payload: [UInt8]) throws(StreamError) -> PCMBuffer {
        guard !payload.isEmpty else { throw opening.bad("the packet is empty") }
        surplus = []
        return PCMBuffer(format, try decode(payload, frames: limitFrames, isCopy: false))
    }

    func conceal(_ frames: Int, before next: StreamPacket?) throws(StreamError) -> PCMBuffer? {
        let wanted = min(frames, limitFrames)
        guard wanted > 0 else { return nil }
        let samples = wanted * format.channels
        // The copy is as long as its packet, and libopus refuses to hand over less: its end is what is missing. A gap has none.
        if let next, !next.payload.isEmpty,
            let copy = try? decode(
                next.payload, frames: steps(max(wanted, Int(next.frames))), isCopy: true), copy.count >= samples
        {
            surplus = []
            return PCMBuffer(format, Array(copy.suffix(samples)))
        }
        let rest = wanted - surplus.count / format.channels
        if rest > 0 { surplus += try decode([], frames: steps(rest), isCopy: false) }
        defer { surplus.removeFirst(min(samples, surplus.count)) }
        return PCMBuffer(format, Array(surplus.prefix(samples)))
    }

    /// As many frames in whole steps, or a few more.
    private func steps(_ frames: Int) -> Int {
        let step = max(1, format.sampleRate / 400)
        return (min(frames, limitFrames) + step - 1) / step * step
    }

    /// Returns what comes of it, interleaved.
    ///
    /// - Parameters:
    ///   - payload: empty to make up for it.
    ///   - isCopy: whether to take the copy of what came before the payload.
    private func decode(_ payload: [UInt8], frames: Int, isCopy: Bool) throws(StreamError) -> [Float] {
        guard let decoder = unsafe decoder else { throw opening.bad("its header has not come") }
        var samples = [Float](repeating: 0, count: frames * format.channels)
        let count = unsafe samples.withUnsafeMutableBufferPointer { samples in
            unsafe payload.withUnsafeBufferPointer { payload in
                // SAFETY: there is room for `frames` frames, and the payload is as long as it says.
                unsafe opus_multistream_decode_float(
                    decoder, payload.isEmpty ? nil : payload.baseAddress, Int32(payload.count),
                    samples.baseAddress.unsafelyUnwrapped, CInt(frames), isCopy ? 1 : 0)
            }
        }
        guard count >= 0 else { throw opening.bad("libopus refuses the packet: \(opusError(count))") }
        return Array(samples.prefix(Int(count) * format.channels))
    }
}

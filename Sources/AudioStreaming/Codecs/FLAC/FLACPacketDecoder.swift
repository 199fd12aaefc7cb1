import AudioFiles
import CFLAC

/// FLAC, one frame of the format at a time.
@safe final class FLACPacketDecoder: PacketDecoder {
    private let opening: StreamOpening
    private let format: StreamFormat
    private let decoder: UnsafeMutablePointer<FLAC__StreamDecoder>
    private let exchange: Exchange
    private var hasHeader = false

    /// What libFLAC reads and writes in a call.
    private final class Exchange {
        let format: StreamFormat
        var input: ArraySlice<UInt8> = []
        var output: [Int32] = []
        /// Whether something of another kind came.
        var isRefused = false

        init(_ format: StreamFormat) { self.format = format }
    }

    init(_ opening: StreamOpening) throws(StreamError) {
        guard opening.codec.channels.contains(opening.channels) else {
            throw opening.bad("it has \(opening.codec.channels.words) channels, and not \(opening.channels)")
        }
        guard let decoder = unsafe FLAC__stream_decoder_new() else {
            throw StreamError(.codec, "decode flac", "there is no memory for it")
        }
        self.opening = opening
        format = opening.format
        unsafe self.decoder = decoder
        exchange = Exchange(format)
    }

    deinit { unsafe FLAC__stream_decoder_delete(decoder) }

    func begin(_ header: [UInt8]) throws(StreamError) {
        unsafe FLAC__stream_decoder_finish(decoder)
        hasHeader = false
        // SAFETY: `exchange` lives as long as this object, which deletes the decoder before it goes.
        let status = unsafe FLAC__stream_decoder_init_stream(
            decoder,
            { _, bytes, count, context in
                guard let bytes = unsafe bytes, let count = unsafe count, let context = unsafe context else {
                    return FLAC__STREAM_DECODER_READ_STATUS_ABORT
                }
                let taken = unsafe FLACPacketDecoder.read(into: bytes, count.pointee, context)
                unsafe count.pointee = taken
                return taken > 0
                    ? FLAC__STREAM_DECODER_READ_STATUS_CONTINUE : FLAC__STREAM_DECODER_READ_STATUS_END_OF_STREAM
            }, nil, nil, nil, nil,
            { _, frame, channels, context in
                guard let frame = unsafe frame, let channels = unsafe channels, let context = unsafe context else {
                    return FLAC__STREAM_DECODER_WRITE_STATUS_ABORT
                }
                return unsafe FLACPacketDecoder.write(frame.pointee.header, channels, context)
                    ? FLAC__STREAM_DECODER_WRITE_STATUS_CONTINUE : FLAC__STREAM_DECODER_WRITE_STATUS_ABORT
            }, nil,
            { _, _, context in
                guard let context = unsafe context else { return }
                unsafe Unmanaged<Exchange>.fromOpaque(context).takeUnretainedValue().isRefused = true
            }, Unmanaged.passUnretained(exchange).toOpaque())
        guard status == FLAC__STREAM_DECODER_INIT_STATUS_OK else {
            throw StreamError(.codec, "decode flac", "libFLAC refuses it (status \(status.rawValue))")
        }
        exchange.input = header[...]
        exchange.isRefused = false
        let isRead = unsafe FLAC__stream_decoder_process_until_end_of_metadata(decoder)
        guard isRead != 0, !exchange.isRefused, exchange.input.isEmpty else {
            throw opening.bad("its header is damaged")
        }
        _ = unsafe FLAC__stream_decoder_flush(decoder)
        hasHeader = true
    }

    func decode(_ payload: [UInt8]) throws(StreamError) -> PCMBuffer {
        guard hasHeader else { throw opening.bad("its header has not come") }
        exchange.input = payload[...]
        exchange.output = []
        exchange.isRefused = false
        let isDecoded = unsafe FLAC__stream_decoder_process_single(decoder)
        // Also out of a state that it was brought into.
        _ = unsafe FLAC__stream_decoder_flush(decoder)
        guard isDecoded != 0, !exchange.isRefused, !exchange.output.isEmpty, exchange.input.isEmpty else {
            throw opening.bad("the packet is damaged, or of another rate or number of channels")
        }
        return buffer(of: exchange.output)
    }

    private func buffer(of samples: [Int32]) -> PCMBuffer {
        if format.sampleFormat == .int16 {
            return PCMBuffer(format, samples.map { Int16(truncatingIfNeeded: $0) })
        }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(3 * samples.count)
        for sample in samples {
            for shift in [0, 8, 16] { bytes.append(UInt8(truncatingIfNeeded: sample >> Int32(shift))) }
        }
        return PCMBuffer(format, bytes)
    }

    @unsafe private static func read(
        into bytes: UnsafeMutablePointer<UInt8>, _ room: Int, _ context: UnsafeMutableRawPointer
    ) -> Int {
        // SAFETY: the address that `begin` gave; libFLAC has room for so many bytes.
        let exchange = unsafe Unmanaged<Exchange>.fromOpaque(context).takeUnretainedValue()
        let count = min(room, exchange.input.count)
        for (index, byte) in exchange.input.prefix(count).enumerated() { unsafe bytes[index] = byte }
        exchange.input.removeFirst(count)
        return count
    }

    @unsafe private static func write(
        _ header: FLAC__FrameHeader, _ channels: UnsafePointer<UnsafePointer<FLAC__int32>?>,
        _ context: UnsafeMutableRawPointer
    ) -> Bool {
        // SAFETY: as above; there are as many channels as the header says, each with as many samples.
        let exchange = unsafe Unmanaged<Exchange>.fromOpaque(context).takeUnretainedValue()
        guard Int(header.channels) == exchange.format.channels, Int(header.sample_rate) == exchange.format.sampleRate,
            let bits = exchange.format.sampleFormat.integerBits, exchange.output.isEmpty
        else { return false }
        // What has another number of bits has its full scale where ours is.
        let surplus = Int32(header.bits_per_sample) - Int32(bits)
        exchange.output.reserveCapacity(Int(header.blocksize * header.channels))
        for frame in 0..<Int(header.blocksize) {
            for channel in 0..<Int(header.channels) {
                guard let samples = unsafe channels[channel] else { return false }
                unsafe exchange.output.append(samples[frame] >> surplus)
            }
        }
        return true
    }
}

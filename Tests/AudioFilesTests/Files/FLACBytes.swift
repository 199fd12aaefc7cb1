import CFLAC
import Testing

/// A FLAC file in memory, of samples of any number of bits.
struct FLACBytes {
    static let blockFrames = 256
    /// The mark, and the blocks before the frames.
    private(set) var header: [UInt8] = []
    private(set) var frames: [[UInt8]] = []
    var bytes: [UInt8] { header + frames.flatMap(\.self) }

    /// - Parameter samples: whole numbers of `bits` bits, interleaved.
    init(_ samples: [Int32], bits: Int, channels: Int = 1, sampleRate: Int = 48_000) throws {
        let encoder = try #require(unsafe FLAC__stream_encoder_new())
        defer { unsafe FLAC__stream_encoder_delete(encoder) }
        unsafe FLAC__stream_encoder_set_bits_per_sample(encoder, UInt32(bits))
        unsafe FLAC__stream_encoder_set_channels(encoder, UInt32(channels))
        unsafe FLAC__stream_encoder_set_sample_rate(encoder, UInt32(sampleRate))
        unsafe FLAC__stream_encoder_set_blocksize(encoder, UInt32(Self.blockFrames))
        unsafe FLAC__stream_encoder_set_streamable_subset(encoder, 0)
        let status = unsafe withUnsafeMutablePointer(to: &self) { place in
            unsafe FLAC__stream_encoder_init_stream(
                encoder,
                { _, bytes, count, samples, _, context in
                    // SAFETY: the address of this value, which is not moved before the encoder has finished.
                    guard let made = unsafe context?.assumingMemoryBound(to: FLACBytes.self), let bytes = unsafe bytes
                    else {
                        return FLAC__STREAM_ENCODER_WRITE_STATUS_FATAL_ERROR
                    }
                    let piece = unsafe Array(UnsafeBufferPointer(start: bytes, count: count))
                    if samples > 0 {
                        unsafe made.pointee.frames.append(piece)
                    } else {
                        unsafe made.pointee.header += piece
                    }
                    return FLAC__STREAM_ENCODER_WRITE_STATUS_OK
                }, nil, nil, nil, place)
        }
        #expect(status == FLAC__STREAM_ENCODER_INIT_STATUS_OK)
        #expect(
            unsafe FLAC__stream_encoder_process_interleaved(encoder, samples, UInt32(samples.count / channels)) != 0)
        #expect(unsafe FLAC__stream_encoder_finish(encoder) != 0)
        setTotal(samples.count / channels)
    }

    /// The same in Ogg, with `framesPerPage` frames in a page. The pages have no check.
    ///
    /// - Parameter beside: pages of another stream stand before each page.
    func ogg(framesPerPage: Int = 3, beside: Bool = false) -> [UInt8] {
        // The mark and STREAMINFO, then each block of metadata.
        var packets = [[0x7f] + Array("FLAC".utf8) + [1, 0, 0, 1] + header.prefix(42)]
        var rest = header.dropFirst(42)
        while rest.count >= 4 {
            let size = 4 + rest.dropFirst().prefix(3).reduce(0) { $0 << 8 | Int($1) }
            packets.append(Array(rest.prefix(size)))
            rest = rest.dropFirst(size)
        }
        var pages = packets.map { Self.page([$0]) }
        for start in stride(from: 0, to: frames.count, by: framesPerPage) {
            pages.append(Self.page(Array(frames[start..<min(frames.count, start + framesPerPage)])))
        }
        // The last says so.
        pages[pages.count - 1][5] = 4
        let other = beside ? Self.page([[1, 2, 3]], serial: 9) : []
        // The first page of a file is of the first stream.
        return pages.enumerated().flatMap { $0.offset == 0 ? $0.element : other + $0.element }
    }

    private static func page(_ packets: [[UInt8]], serial: UInt8 = 7) -> [UInt8] {
        let sizes = packets.flatMap { [UInt8](repeating: 255, count: $0.count / 255) + [UInt8($0.count % 255)] }
        precondition(sizes.count < 256)
        return Array("OggS".utf8) + [0, 0] + [UInt8](repeating: 0, count: 8) + [serial, 0, 0, 0]
            + [UInt8](repeating: 0, count: 8) + [UInt8(sizes.count)] + sizes + packets.flatMap(\.self)
    }

    /// What the header says about the length; 0 where it does not know.
    mutating func setTotal(_ frames: Int) {
        // The last 36 bits of the eight behind the sizes.
        for index in 0..<4 { header[25 - index] = UInt8(truncatingIfNeeded: frames >> (8 * index)) }
    }

    /// Damages a frame in its middle.
    mutating func damage(_ index: Int) { frames[index][frames[index].count / 2] ^= 0x55 }

    mutating func remove(_ index: Int) { frames.remove(at: index) }

    mutating func append(_ other: FLACBytes, withHeader: Bool = false) {
        if withHeader { frames.append(other.header) }
        frames += other.frames
    }
}

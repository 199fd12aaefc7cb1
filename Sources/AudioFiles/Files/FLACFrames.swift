import CFLAC
import Glibc

/// The frames of a FLAC file, one after the other from any byte on, and what stands before them.
///
/// libsndfile 1.2 reads 8, 16 and 24 bits only, ends where the header says, and loses all behind a frame that is damaged.
///
/// Thread: one at a time, any that may block.
@safe package final class FLACFrames {
    /// What the header says.
    package struct Header: Equatable {
        package var sampleRate: Int
        package var channels: Int
        /// 4…32.
        var bits: Int
        /// `nil` where it does not know.
        var totalFrames: Int?
        var largestBlock: Int
    }

    /// A frame of the file that was read.
    package struct Frame {
        /// Of its first sample, as the encoder counted.
        var number: Int
        /// Frames of samples.
        var count: Int
        /// Where its bytes end.
        package var endByte: Int
    }

    /// The texts that the file has, by their names in capitals; of several of a name the first.
    private(set) var texts: [String: String] = [:]
    /// How many there are, of all names.
    private(set) var textCount = 0
    /// How many pictures stand before the sound. libFLAC is not asked: it would hold each in memory.
    var pictures: Int {
        var (count, place) = (0, source.tagBytes() + 4)
        for _ in 0..<Self.mostBlocks where place < firstByte {
            let head = source.bytes(4, at: place)
            guard head.count == 4 else { break }
            if UInt32(head[0] & 0x7f) == FLAC__METADATA_TYPE_PICTURE.rawValue { count += 1 }
            place += 4 + head.bigEndian(1, 3)
        }
        return count
    }
    /// So many blocks of metadata are looked at.
    private static let mostBlocks = 1000
    /// Of the last frame, interleaved, full scale at that of 32 bits.
    package private(set) var samples: [Int32] = []
    /// Whether bytes were no frame since this was last set to `false`.
    package var hasMetDamage = false
    /// The first frame of another rate, other channels or more bits since this was last set to `nil`. Such are left out.
    var misfit: Header?
    /// `nil` until it was read.
    package private(set) var header: Header?
    /// The first byte behind the header.
    package private(set) var firstByte = 0
    /// Bytes of the file; `Int.max` as long as nobody knows.
    var length: Int { source.length }
    /// Whether it is in the pages of Ogg.
    var isOgg: Bool { source is OggFLACBytes }
    /// Whether the file ends inside a frame, or lacks the last page of Ogg. Valid once its end has been read.
    ///
    /// - Parameter byte: the first byte behind the last whole frame.
    func isCut(behind byte: Int) -> Bool {
        if let ogg = source as? OggFLACBytes { return !ogg.hasEnd }
        // The sync code of a frame. Other bytes here are a tag.
        let start = source.bytes(2, at: byte)
        return start.starts(with: [0xff]) && start.dropFirst().allSatisfy { $0 & 0xfe == 0xf8 }
    }
    /// Whether a stream of Ogg that is not FLAC follows.
    var isChained: Bool { (source as? OggFLACBytes)?.isChained ?? false }
    /// Whether a read of the file failed.
    var hasFailed: Bool { source.hasFailed }

    private let source: any FileBytes
    private let decoder: UnsafeMutablePointer<FLAC__StreamDecoder>
    private var byte = 0
    private var frame: Frame?
    /// Frames that libFLAC handed over in a call.
    private var written = 0

    /// - Parameter bytes: of the sound file, in Ogg or not.
    /// - Returns: `nil` where that is no FLAC file.
    package init?(_ bytes: any FileBytes) {
        guard let decoder = unsafe FLAC__stream_decoder_new() else { return nil }
        source = OggFLACBytes(bytes) ?? bytes
        unsafe self.decoder = decoder
        guard isFLAC, begin(), header != nil, let place = decodePosition else { return nil }
        firstByte = place
    }

    deinit { unsafe FLAC__stream_decoder_delete(decoder) }

    /// Reads on from the next frame that begins at or behind a byte.
    package func place(at byte: Int) {
        self.byte = max(byte, source.start)
        unsafe FLAC__stream_decoder_flush(decoder)
    }

    /// The next frame that can be read; `nil` at the end.
    package func next() -> Frame? {
        frame = nil
        repeat {
            // Behind what was left out in this call: from there the next try would meet the same hole again.
            let start = decodePosition ?? byte
            written = 0
            let isProcessed = unsafe FLAC__stream_decoder_process_single(decoder) != 0
            // libFLAC 1.4 fills a hole with silence, and the frame behind it too, unless it does not know the frame before. It
            // was stopped with the second block: a number that is wrong stands for years of them.
            if written > 1 {
                place(at: start)
                frame = nil
            } else if !isProcessed {
                return nil
            }
        } while unsafe frame == nil
            && FLAC__stream_decoder_get_state(decoder) == FLAC__STREAM_DECODER_SEARCH_FOR_FRAME_SYNC
        frame?.endByte = decodePosition ?? byte
        return frame
    }

    private var isFLAC: Bool {
        // libFLAC steps over the tag.
        source.bytes(4, at: source.tagBytes()) == Array("fLaC".utf8)
    }

    private var decodePosition: Int? {
        var place: UInt64 = 0
        return unsafe FLAC__stream_decoder_get_decode_position(decoder, &place) != 0 ? Int(clamping: place) : nil
    }
}

// What libFLAC calls.
extension FLACFrames {
    private func begin() -> Bool {
        unsafe FLAC__stream_decoder_set_metadata_respond(decoder, FLAC__METADATA_TYPE_VORBIS_COMMENT)
        // SAFETY: this object deletes the decoder before it goes; libFLAC hands each function the address that it got.
        let status = unsafe FLAC__stream_decoder_init_stream(
            decoder,
            { _, bytes, count, context in
                guard let bytes = unsafe bytes, let count = unsafe count, let frames = unsafe FLACFrames.of(context)
                else {
                    return FLAC__STREAM_DECODER_READ_STATUS_ABORT
                }
                unsafe count.pointee = unsafe frames.read(into: bytes, count.pointee)
                return unsafe count.pointee > 0
                    ? FLAC__STREAM_DECODER_READ_STATUS_CONTINUE : FLAC__STREAM_DECODER_READ_STATUS_END_OF_STREAM
            },
            { _, offset, context in
                guard let frames = unsafe FLACFrames.of(context) else { return FLAC__STREAM_DECODER_SEEK_STATUS_ERROR }
                frames.byte = Int(clamping: offset)
                return FLAC__STREAM_DECODER_SEEK_STATUS_OK
            },
            { _, offset, context in
                guard let frames = unsafe FLACFrames.of(context) else { return FLAC__STREAM_DECODER_TELL_STATUS_ERROR }
                unsafe offset?.pointee = UInt64(frames.byte)
                return FLAC__STREAM_DECODER_TELL_STATUS_OK
            },
            { _, length, context in
                guard let frames = unsafe FLACFrames.of(context), frames.length < .max else {
                    return FLAC__STREAM_DECODER_LENGTH_STATUS_UNSUPPORTED
                }
                unsafe length?.pointee = UInt64(frames.length)
                return FLAC__STREAM_DECODER_LENGTH_STATUS_OK
            },
            { _, context in unsafe FLACFrames.of(context).map { $0.byte >= $0.length } ?? true ? 1 : 0 },
            { _, frame, channels, context in
                guard let frame = unsafe frame, let channels = unsafe channels else {
                    return FLAC__STREAM_DECODER_WRITE_STATUS_ABORT
                }
                guard let frames = unsafe FLACFrames.of(context) else { return FLAC__STREAM_DECODER_WRITE_STATUS_ABORT }
                unsafe frames.take(frame.pointee.header, channels)
                return frames.written > 1
                    ? FLAC__STREAM_DECODER_WRITE_STATUS_ABORT : FLAC__STREAM_DECODER_WRITE_STATUS_CONTINUE
            },
            { _, metadata, context in
                guard let metadata = unsafe metadata else { return }
                unsafe FLACFrames.of(context)?.note(metadata)
            },
            { _, _, context in unsafe FLACFrames.of(context)?.hasMetDamage = true },
            Unmanaged.passUnretained(self).toOpaque())
        return unsafe status == FLAC__STREAM_DECODER_INIT_STATUS_OK
            && FLAC__stream_decoder_process_until_end_of_metadata(decoder) != 0
    }

    @unsafe private static func of(_ context: UnsafeMutableRawPointer?) -> FLACFrames? {
        unsafe context.map { unsafe Unmanaged<FLACFrames>.fromOpaque($0).takeUnretainedValue() }
    }

    @unsafe private func read(into bytes: UnsafeMutablePointer<UInt8>, _ room: Int) -> Int {
        // SAFETY: libFLAC has room for so many bytes.
        let count = unsafe source.read(into: UnsafeMutableRawBufferPointer(start: bytes, count: room), at: byte)
        byte += count
        return count
    }

    @unsafe private func take(_ facts: FLAC__FrameHeader, _ channels: UnsafePointer<UnsafePointer<FLAC__int32>?>) {
        written += 1
        guard let header else { return }
        let bits = Int(facts.bits_per_sample)
        guard Int(facts.sample_rate) == header.sampleRate, Int(facts.channels) == header.channels, bits <= header.bits
        else {
            var other = header
            (other.sampleRate, other.channels, other.bits) = (Int(facts.sample_rate), Int(facts.channels), bits)
            misfit = misfit ?? other
            return
        }
        let (count, width) = (Int(facts.blocksize), header.channels)
        samples = unsafe [Int32](unsafeUninitializedCapacity: count * width) { room, filled in
            for channel in 0..<width {
                // SAFETY: there are as many channels as the header says, each with as many samples.
                guard let plane = unsafe channels[channel] else { return }
                for index in 0..<count { unsafe room[index * width + channel] = plane[index] << Int32(32 - bits) }
            }
            filled = count * width
        }
        guard samples.count == count * width else { return }
        frame = unsafe Frame(number: Int(clamping: facts.number.sample_number), count: count, endByte: 0)
    }

    @unsafe private func note(_ metadata: UnsafePointer<FLAC__StreamMetadata>) {
        switch unsafe metadata.pointee.type {
        case FLAC__METADATA_TYPE_STREAMINFO where header == nil:
            let facts = unsafe metadata.pointee.data.stream_info
            header = Header(
                sampleRate: Int(facts.sample_rate), channels: Int(facts.channels), bits: Int(facts.bits_per_sample),
                totalFrames: facts.total_samples > 0 ? Int(clamping: facts.total_samples) : nil,
                largestBlock: Int(facts.max_blocksize))
        case FLAC__METADATA_TYPE_VORBIS_COMMENT:
            let list = unsafe metadata.pointee.data.vorbis_comment
            for index in 0..<Int(unsafe list.num_comments) {
                // SAFETY: there are as many comments as the list says, each of as many bytes.
                let comment = unsafe list.comments[index]
                let bytes = unsafe UnsafeBufferPointer(start: comment.entry, count: Int(comment.length))
                let parts = unsafe String(decoding: bytes, as: UTF8.self).split(separator: "=", maxSplits: 1)
                guard parts.count == 2 else { continue }
                textCount += 1
                let name = parts[0].uppercased()
                texts[name] = texts[name] ?? String(parts[1])
            }
        default: break
        }
    }
}

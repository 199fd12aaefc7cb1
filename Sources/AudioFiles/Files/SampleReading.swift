import CSndFile

// How samples get out of a file: in the format of the buffer that takes them.
extension SoundFileReader {
    /// Whether a buffer of this format takes them.
    func canRead(_ format: StreamFormat) -> Bool {
        switch format.sampleFormat {
        case .float32, .float64: true
        case .int16, .int32: format.layout == .interleaved && format.sampleFormat.holds(exactFormat.sampleFormat)
        case let sample: format.layout == .interleaved && sample == exactFormat.sampleFormat
        }
    }

    /// The largest sample that the file can hold. Where samples are no integers there is none, and it is 1.
    package var fullScale: Float {
        let format = exactFormat.sampleFormat
        switch format {
        // The largest that ITU-T G.711 decodes to.
        case .aLaw: return 32256.0 / 32768
        case .muLaw: return 32124.0 / 32768
        default:
            // FLAC has other widths than 8, 16, 24 and 32 bits.
            guard let bits = flac?.header.bits ?? format.integerBits else { return 1 }
            return Float(1 - 1 / Double(1 << (bits - 1)))
        }
    }

    /// Reads so many frames into room for them, interleaved, and advances `position`; returns how many came.
    ///
    /// Where libsndfile stops and more follows, it continues there.
    @unsafe func readSamples(_ count: Int, of format: SampleFormat, into room: UnsafeMutableRawPointer) -> Int {
        let bytesPerFrame = channels * format.bytesPerSample
        var done = 0
        while done < count {
            let wanted = framesAtOnce(count - done)
            // SAFETY: the room is for `count` frames, and `done + wanted` are at most as many.
            let read = unsafe max(0, readRun(wanted, of: format, into: room + done * bytesPerFrame))
            done += read
            position += read
            if window?.hasHole == true { note(.lost(frames: nil)) }
            guard read < wanted || wanted == 0 else { continue }
            // libsndfile is short of a damaged packet of Ogg too, and goes on behind it with the next call.
            if read > 0 && chain?.isOgg == true || !goOn() { break }
        }
        return done
    }

    /// How many of so many frames to ask libsndfile for in one call.
    private func framesAtOnce(_ count: Int) -> Int {
        // Of a call that meets a hole or a cut end, libsndfile drops all that libmpg123 has decoded before it. So a call does not
        // cross the end of an MPEG frame of 384, 576 or 1152 frames.
        guard let chain, !chain.isOgg else { return beforePlaceholder(count) }
        return min(count, 192 - (position - windowStart + (window?.delayFrames ?? 0)) % 192)
    }

    /// Reads so many frames by one call of libsndfile; returns how many came.
    @unsafe private func readRun(_ count: Int, of format: SampleFormat, into room: UnsafeMutableRawPointer) -> Int {
        let (wanted, samples) = (Int64(count), count * channels)
        switch format {
        case .float32:
            let room = unsafe room.assumingMemoryBound(to: Float.self)
            return unsafe ordered(Int(sf_readf_float(file, room, wanted)), room)
        case .float64:
            let room = unsafe room.assumingMemoryBound(to: Double.self)
            return unsafe ordered(Int(sf_readf_double(file, room, wanted)), room)
        case .int16: return Int(unsafe sf_readf_short(file, room.assumingMemoryBound(to: Int16.self), wanted))
        case .int32: return Int(unsafe sf_readf_int(file, room.assumingMemoryBound(to: Int32.self), wanted))
        case .aLaw, .muLaw: return Int(unsafe sf_read_raw(file, room, Int64(samples))) / channels
        case .int8, .uint8, .int24: return unsafe readNarrow(count, of: format, into: room)
        }
    }

    /// Brings the channels of frames that were read into our order; returns how many frames there are.
    @unsafe private func ordered<Sample: BitwiseCopyable>(_ frames: Int, _ samples: UnsafeMutablePointer<Sample>) -> Int
    {
        guard let vorbisPlaces else { return frames }
        var frame: [Sample] = []
        for start in stride(from: 0, to: frames * channels, by: channels) {
            frame.removeAll(keepingCapacity: true)
            // SAFETY: the room has so many frames, here and below.
            for place in vorbisPlaces { unsafe frame.append(samples[start + place]) }
            for (channel, sample) in frame.enumerated() { unsafe samples[start + channel] = sample }
        }
        return frames
    }

    /// Of samples that libsndfile delivers in the upper bits of 32.
    @unsafe private func readNarrow(_ count: Int, of format: SampleFormat, into room: UnsafeMutableRawPointer) -> Int {
        let piece = max(1, 4096 / channels)
        var wide = [Int32](repeating: 0, count: piece * channels)
        let bytes = format.bytesPerSample
        var done = 0
        while done < count {
            let wanted = min(piece, count - done)
            let read = Int(unsafe sf_readf_int(file, &wide, Int64(wanted)))
            for index in 0..<(max(0, read) * channels) {
                // SAFETY: the room is for `count` frames, of which `done + read` are at most as many.
                let place = unsafe room + (done * channels + index) * bytes
                let sample = UInt32(bitPattern: wide[index]) ^ (format == .uint8 ? 0x8000_0000 : 0)
                for byte in 0..<bytes {
                    unsafe place.storeBytes(
                        of: UInt8(truncatingIfNeeded: sample >> (32 - 8 * (bytes - byte))), toByteOffset: byte,
                        as: UInt8.self)
                }
            }
            done += max(0, read)
            if read < wanted { break }
        }
        return done
    }

    /// Fills a planar buffer, piece by piece; returns how many frames came.
    func readPlanar(into buffer: inout PCMBuffer) throws(SoundFileError) -> Int {
        let piece = min(buffer.capacityFrames, max(1, 4096 / channels))
        var block = PCMBuffer(
            StreamFormat(sampleRate: sampleRate, channels: channels, sampleFormat: buffer.format.sampleFormat),
            capacityFrames: piece)
        let bytes = buffer.format.sampleFormat.bytesPerSample
        var done = 0
        while done < buffer.capacityFrames {
            block.frames = 0
            let wanted = min(piece, buffer.capacityFrames - done)
            if wanted < piece { block = PCMBuffer(block.format, capacityFrames: wanted) }
            let read: Int
            do throws(SoundFileError) {
                read = try self.read(into: &block)
            } catch {
                // What was read before is kept; the next call meets the same end.
                guard done > 0 else { throw error }
                break
            }
            guard read > 0 else { break }
            for channel in 0..<channels {
                buffer.withMutableRun(channel, from: done) { plane in
                    block.withRun(0, from: 0) { frames in
                        for frame in 0..<read {
                            // SAFETY: both hold `read` frames from there on.
                            unsafe (plane + frame * bytes).copyMemory(
                                from: frames + (frame * channels + channel) * bytes, byteCount: bytes)
                        }
                    }
                }
            }
            done += read
            if read < wanted { break }
        }
        buffer.frames = done
        return done
    }
}

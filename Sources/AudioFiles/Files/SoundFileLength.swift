import CSndFile

/// How many frames a file has, as its header promises.
struct SoundFileLength {
    private(set) var exact: Int?
    private(set) var estimate: Int?

    init(_ facts: SF_INFO, bytesPerFrame: Int, isPipe: Bool) {
        let frames = Int(facts.frames)
        // libsndfile has a few ways to say that it does not know, all of them beyond any file.
        guard frames >= 0, frames < 1 << 48 else { return }
        if Int(facts.format) & SF_FORMAT_TYPEMASK == SF_FORMAT_MPEG {
            estimate = isPipe ? nil : frames
        } else if !(isPipe && BrokenPromise.isPlaceholder(frames * bytesPerFrame)) {
            exact = frames
        }
    }
}

extension SampleFormat {
    /// What loses nothing of an encoding of libsndfile's.
    init(exactFor code: Int) {
        switch code & SF_FORMAT_SUBMASK {
        case SF_FORMAT_PCM_S8, SF_FORMAT_PCM_U8: self = .int8
        case SF_FORMAT_PCM_24, SF_FORMAT_ALAC_24: self = .int24
        case SF_FORMAT_PCM_32, SF_FORMAT_ALAC_20, SF_FORMAT_ALAC_32: self = .int32
        case SF_FORMAT_PCM_16, SF_FORMAT_ALAC_16, SF_FORMAT_IMA_ADPCM, SF_FORMAT_MS_ADPCM, SF_FORMAT_GSM610:
            self = .int16
        case SF_FORMAT_ALAW: self = .aLaw
        case SF_FORMAT_ULAW: self = .muLaw
        case SF_FORMAT_DOUBLE: self = .float64
        default: self = .float32
        }
    }
}

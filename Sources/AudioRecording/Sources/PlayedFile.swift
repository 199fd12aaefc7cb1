import AudioFiles

extension SoundFileReader: Signal {}

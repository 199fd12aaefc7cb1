import AudioFiles
import Glibc
import TestSupport
import Testing

@Suite("A file of peaks") struct PeaksFileTests {
    private let folder: TemporaryFolder
    init() throws { folder = try TemporaryFolder() }

    @Test func `that cannot take the place of the old one leaves no draft behind`() throws {
        let path = folder("a.wav.dat")
        try PeaksFile(path: path, sampleRate: 48000, channels: 1).close()
        let peaks = try PeaksFile(path: path, sampleRate: 48000, channels: 1, replacing: true)
        // Somebody makes a folder of that name meanwhile.
        try #require(unlink(path) == 0 && mkdir(path, 0o700) == 0)
        let buffer = PCMBuffer(StreamFormat(sampleRate: 48000, channels: 1), [0.5] as [Float])
        #expect(throws: SoundFileError.self) { try peaks.add(buffer) }
        let error = #expect(throws: SoundFileError.self) { try peaks.close() }
        #expect(error?.kind == .io && error?.reason.contains("it cannot be replaced") == true)
        #expect(folder.names == ["a.wav.dat"])
    }
}

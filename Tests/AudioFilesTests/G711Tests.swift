import AudioFiles
import CSndFile
import Glibc
import TestSupport
import Testing

@Suite("G.711") struct G711Tests {
    private let folder: TemporaryFolder
    init() throws { folder = try TemporaryFolder() }

    private static let laws = [
        (SampleFormat.aLaw, SF_FORMAT_ALAW, 32_256), (SampleFormat.muLaw, SF_FORMAT_ULAW, 32_124),
    ]

    private func converted<In: BitwiseCopyable, Out: BitwiseCopyable>(
        _ samples: [In], _ input: SampleFormat, _ output: SampleFormat, of type: Out.Type
    ) throws -> [Out] {
        var conversion = Conversion(8000, 8000)
        conversion.input.sampleFormat = input
        conversion.output.sampleFormat = output
        var converter = try conversion.converter()
        return try conversion.pull(samples, through: &converter, of: type)
    }

    @Test(arguments: laws)
    func `gives each code back`(law: (format: SampleFormat, file: Int, peak: Int)) throws {
        let codes = (0...255).map { UInt8($0) }
        for wide in [SampleFormat.float32, .float64] {
            var conversion = Conversion(8000, 8000)
            conversion.input.sampleFormat = law.format
            conversion.output.sampleFormat = wide
            var there = try conversion.converter()
            let bytes = try conversion.pull(codes, through: &there, of: UInt8.self)
            conversion.input.sampleFormat = wide
            conversion.output.sampleFormat = law.format
            var back = try conversion.converter()
            #expect(try conversion.pull(bytes, through: &back, of: UInt8.self) == codes)
            #expect(back.clippedSamples == 0)
        }
        // An integer has no negative zero, which is a code of µ-law's.
        let integers = try converted(codes, law.format, .int16, of: Int16.self)
        let wanted = codes.map { law.format == .muLaw && $0 == 0x7f ? 0xff : $0 }
        #expect(try converted(integers, .int16, law.format, of: UInt8.self) == wanted)
        #expect(integers.map { abs(Int($0)) }.max() == law.peak)
    }

    @Test(arguments: laws)
    func `has the codes of libsndfile, both ways`(law: (format: SampleFormat, file: Int, peak: Int)) throws {
        let samples = Array(Int16.min...Int16.max)
        let path = folder("law.au")
        var facts = SF_INFO()
        (facts.samplerate, facts.channels, facts.format) = (8000, 1, CInt(SF_FORMAT_AU | law.file))
        let writer = try #require(sf_open(path, CInt(SFM_WRITE), &facts))
        #expect(sf_write_short(writer, samples, 65_536) == 65_536)
        sf_close(writer)
        let reader = try #require(sf_open(path, CInt(SFM_READ), &facts))
        defer { sf_close(reader) }
        var theirs = [Int16](repeating: 0, count: 65_536)
        #expect(sf_read_short(reader, &theirs, 65_536) == 65_536)
        sf_seek(reader, 0, CInt(SEEK_SET))
        var codes = [UInt8](repeating: 0, count: 65_536)
        #expect(sf_read_raw(reader, &codes, 65_536) == 65_536)
        let ours = try converted(samples, .int16, law.format, of: UInt8.self)
        let differing = samples.indices.filter { ours[$0] != codes[$0] }
        #expect(differing.isEmpty, "\(differing.prefix(5).map { (samples[$0], ours[$0], codes[$0]) })")
        #expect(try converted(codes, law.format, .int16, of: Int16.self) == theirs)
    }

    @Test func `is heard as silence where a new buffer has it`() throws {
        for (format, zero) in [(SampleFormat.aLaw, Int16(8)), (.muLaw, 0), (.uint8, 0)] {
            var buffer = PCMBuffer(StreamFormat(sampleRate: 8000, channels: 1, sampleFormat: format), capacityFrames: 3)
            buffer.frames = 3
            #expect(
                try converted(buffer.samples(of: UInt8.self), format, .int16, of: Int16.self) == [zero, zero, zero])
        }
    }

    @Test func `counts what is beyond its last decision value`() throws {
        for (format, limit) in [(SampleFormat.aLaw, 1.0), (.muLaw, 8159.0 / 8192)] {
            var conversion = Conversion(8000, 8000)
            conversion.input.sampleFormat = .float64
            conversion.output.sampleFormat = format
            var converter = try conversion.converter()
            let codes = try conversion.pull(
                [limit, -limit, limit.nextUp, -limit.nextUp, 1e9], through: &converter, of: UInt8.self)
            #expect(converter.clippedSamples == 3)
            #expect(codes[0] == codes[2] && codes[0] == codes[4] && codes[1] == codes[3])
        }
    }
}

import AudioDSP
import Testing

@testable import CommandSyntax
@testable import LiveCommands
@testable import LiveRuns

@Suite("The options of effects") struct EffectOptionsTests {
    private func effects(_ words: String...) throws -> Effects {
        try Effects(Arguments(words, MonitorOptions.syntax), isBypassed: false)
    }

    @Test func `set parameters by name, and leave the others`() throws {
        let effects = try effects("--compressor", "threshold=-24dB,ratio=3,attack=0.02s", "--limiter")
        let compressor = try #require(effects.compressor)
        #expect(compressor == CompressorSetting(threshold: -24, ratio: 3, attack: 20))
        #expect(effects.limiter == LimiterSetting())
        #expect(
            effects.words.map { "--\($0)=\($1)" } == [
                "--compressor=threshold=-24,ratio=3,knee=6,attack=20,release=150,makeup=0",
                "--limiter=ceiling=-1,release=50",
            ])
        #expect(try Effects(Arguments([], MonitorOptions.syntax), isBypassed: true).words.isEmpty)
    }

    @Test(arguments: [
        ("ratio=0.5", "ratio takes a number from 1 to 100, as in ratio=4"),
        ("threshold", "threshold takes a number from -80 to 0 dB, as in threshold=-18"),
        ("knee=nan", "knee takes a number from 0 to 24 dB"), ("attack=1h", "attack takes a number from 0.1 to 500 ms"),
        ("level=3", "there is no level; its parameters are threshold, ratio, knee, attack, release, makeup"),
        ("=", "there is no ; its parameters"), ("bypass=on", "there is no bypass"),
    ])
    func `refuse what a parameter does not take, and say what it does`(_ word: String, _ sentence: String) throws {
        let failure = try #require(throws: Failure.self) { _ = try effects("--compressor", word) }
        #expect(failure.code == .usage && failure.message.contains(sentence), "\(failure.message)")
    }

    @Test func `are explained by the parameters alone`() throws {
        for (option, fields) in zip(
            Effects.options, [CompressorSetting.fields.map(\.info), LimiterSetting.fields.map(\.info)])
        {
            for info in fields where info.name != "bypass" { #expect(option.help.contains(info.name), "\(info.name)") }
        }
    }
}

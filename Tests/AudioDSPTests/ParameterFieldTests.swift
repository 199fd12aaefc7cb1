import AudioDSP
import Testing

@Suite("A parameter that is declared") struct ParameterFieldTests {
    private struct Setting: ParameterSetting {
        var ratio: Float = 4
        var hertz = 1000.0
        var kind = EqualiserBand.Kind.notch
        var isOn = true

        static let fields: [ParameterField<Self>] = [
            .number("ratio", "ratio", 1...20, span: 0.5...8, \.ratio),
            .number("hertz", "frequency", 10...200_000, unit: "Hz", span: 20...20_000, taper: .logarithmic, \.hertz),
            .choice("kind", "kind", \.kind), .flag("on", "use", \.isOn),
        ]
    }

    @Test func `has the initial value of a new setting, and a span within its range`() {
        #expect(Setting.fields.map(\.info.initial) == [.number(4), .number(1000), .choice("notch"), .flag(true)])
        #expect(
            Setting.fields[0].info.kind == .number(range: 1...20, unit: "", span: 1...8, taper: .linear))
        #expect(
            Setting.fields.map(\.info.takes) == [
                "a number from 1 to 20", "a number from 10 to 200000 Hz",
                "one of peak, lowshelf, highshelf, lowpass, highpass, notch", "1 (on) or 0 (off)",
            ])
    }

    @Test func `reaches the ends of its range with a fader's, whatever is lost in rounding`() {
        for range in [-0.1...0.3, 0.1...0.7, -60...0.1] {
            let info = ParameterInfo.number("level", "level", range)
            for (position, end) in [(0.0, range.lowerBound), (1, range.upperBound)] {
                #expect(info.value(atPosition: position) == .number(end) && info.accepts(.number(end)))
            }
        }
    }

    @Test func `stands at whole numbers where it has a step of 1, and each turn moves it`() {
        let info = ParameterInfo.number("stages", "stages", 1...12, step: 1)
        #expect([0, 0.04, 0.05, 0.5, 1].map { info.value(atPosition: $0).number } == [1, 1, 2, 7, 12])
        #expect(info.turned(6, byPart: 1.0 / 127) == 7 && info.turned(6, byPart: -1.0 / 127) == 5)
        #expect(
            info.turned(6, byPart: 0.5) == 12 && info.turned(6, byPart: 0.25) == 9 && info.turned(6, byPart: 0) == 6)
        #expect(info.turned(12, byPart: 1) == 12 && info.turned(1, byPart: -1.0 / 127) == 1)
        let count = ParameterInfo.number("count", "count", 1...1000, taper: .logarithmic, step: 1)
        #expect(count.turned(1, byPart: 1.0 / 127) == 2 && count.turned(500, byPart: 1.0 / 127) == 528)
        #expect([0.3, 0.9].map { count.value(atPosition: $0).number } == [8, 501])
        // No multiple of the step is in the range.
        let narrow = ParameterInfo.number("narrow", "narrow", 0.2...0.7, step: 1)
        #expect(narrow.turned(0.2, byPart: 0.1) == 0.7)
    }

    @Test func `changes its own part of a setting, and takes nothing else`() {
        var setting = Setting()
        for (field, value) in zip(
            Setting.fields, [ParameterValue.number(2), .number(20), .choice("lowpass"), .flag(false)])
        {
            field.set(value, in: &setting)
            #expect(field.value(in: setting) == value)
            for wrong in [ParameterValue.number(0), .number(.nan), .choice("echo"), .action] {
                field.set(wrong, in: &setting)
            }
            #expect(field.value(in: setting) == value)
        }
        #expect(setting.ratio == 2 && setting.hertz == 20 && setting.kind == .lowPass && !setting.isOn)
    }
}

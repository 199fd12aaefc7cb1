import Testing

@testable import AudioMetering

/// The cases of EBU Tech 3341 and 3342 that are made of tones. 7 and 8 (of 3342: 5 and 6) are recorded programmes.
@Suite("Loudness: the EBU's cases") struct LoudnessCaseTests {
    typealias Part = (decibels: Double, seconds: Double)

    /// Tech 3341, cases 1 to 5.
    static let integrated: [(parts: [Part], loudness: Double)] = [
        ([(-23, 20)], -23),
        ([(-33, 20)], -33),
        ([(-36, 10), (-23, 60), (-36, 10)], -23),
        ([(-72, 10), (-36, 10), (-23, 60), (-36, 10), (-72, 10)], -23),
        ([(-26, 20), (-20, 20.1), (-26, 20)], -23),
    ]

    @Test(arguments: integrated)
    func `integrated loudness leaves out what is far quieter than the rest`(_ parts: [Part], _ loudness: Double) throws
    {
        var programme = try Programme()
        for part in parts { programme.play(part.decibels, seconds: part.seconds) }
        #expect(abs(programme.reading.integratedLUFS - loudness) <= 0.1, "\(programme.reading)")
    }

    @Test(arguments: [-23.0, -33])
    func `a steady tone is as loud at every moment as it is on the whole`(_ level: Double) throws {
        var programme = try Programme()
        programme.play(level, seconds: 4)
        let reading = programme.reading
        for loudness in [reading.momentaryLUFS, reading.shortTermLUFS, reading.integratedLUFS] {
            #expect(abs(loudness - level) <= 0.1, "\(reading)")
        }
        #expect(try #require(reading.rangeLU) <= 0.1)
    }

    @Test func `case 6: the surrounds count more, and the low frequencies of 5.1 not at all`() throws {
        var five = try Programme(channels: 5)
        five.play([-28, -28, -24, -30, -30], seconds: 20)
        #expect(abs(five.reading.integratedLUFS + 23) <= 0.1, "\(five.reading)")
        var six = try Programme(channels: 6)
        six.play([-28, -28, -24, -3, -30, -30], seconds: 20)
        #expect(abs(six.reading.integratedLUFS + 23) <= 0.1, "\(six.reading)")
    }

    @Test func `case 9: short-term loudness does not move where any 3 s hold the same`() throws {
        var programme = try Programme()
        for turn in 0..<5 {
            for part in [(-20.0, 0.67), (-20, 0.67), (-30, 0.83), (-30, 0.83)] {
                programme.play(part.0, seconds: part.1)
                if turn > 0 { #expect(abs(programme.reading.shortTermLUFS + 23) <= 0.1) }
            }
        }
    }

    @Test(arguments: 1...20)
    func `case 10: 3 s of tone are found wherever they begin`(_ number: Int) throws {
        var programme = try Programme()
        programme.play(Programme.silence, seconds: 0.15 * Double(number))
        programme.play(-23, seconds: 3)
        programme.play(Programme.silence, seconds: 1)
        #expect(abs(programme.reading.maximumShortTermLUFS + 23) <= 0.1, "\(programme.reading)")
    }

    @Test func `case 11: each louder tone of 3 s is a new maximum`() throws {
        var programme = try Programme()
        for number in 1...20 {
            let lead = 0.15 * Double(number)
            let level = -38 + Double(number)
            programme.play(Programme.silence, seconds: lead)
            programme.play(level, seconds: 3)
            programme.play(Programme.silence, seconds: 3 - lead)
            #expect(abs(programme.reading.maximumShortTermLUFS - level) <= 0.1)
        }
    }

    @Test func `case 12: momentary loudness does not move where any 0.4 s hold the same`() throws {
        var programme = try Programme()
        for turn in 0..<25 {
            for part in [(-20.0, 0.09), (-20, 0.09), (-30, 0.11), (-30, 0.11)] {
                programme.play(part.0, seconds: part.1)
                if turn > 0 { #expect(abs(programme.reading.momentaryLUFS + 23) <= 0.1) }
            }
        }
    }

    @Test(arguments: 1...20)
    func `case 13: 0.4 s of tone are found wherever they begin`(_ number: Int) throws {
        var programme = try Programme()
        programme.play(Programme.silence, seconds: 0.02 * Double(number))
        programme.play(-23, seconds: 0.4)
        programme.play(Programme.silence, seconds: 1)
        #expect(abs(programme.reading.maximumMomentaryLUFS + 23) <= 0.1, "\(programme.reading)")
    }

    @Test func `case 14: each louder tone of 0.4 s is a new maximum`() throws {
        var programme = try Programme()
        for number in 1...20 {
            let lead = 0.02 * Double(number)
            let level = -38 + Double(number)
            programme.play(Programme.silence, seconds: lead)
            programme.play(level, seconds: 0.4)
            programme.play(Programme.silence, seconds: 0.4 - lead)
            #expect(abs(programme.reading.maximumMomentaryLUFS - level) <= 0.1)
        }
    }

    /// Tech 3342, cases 1 to 4: levels of 20 s each, and the range in LU.
    static let ranges: [(levels: [Double], range: Double)] = [
        ([-20, -30], 10), ([-20, -15], 5), ([-40, -20], 20), ([-50, -35, -20, -35, -50], 15),
    ]

    @Test(arguments: ranges)
    func `the range lies between the quiet and the loud, and leaves out the very quiet`(
        _ levels: [Double], _ range: Double
    ) throws {
        var programme = try Programme()
        for level in levels { programme.play(level, seconds: 20) }
        #expect(abs(try #require(programme.reading.rangeLU) - range) <= 1, "\(programme.reading)")
    }
}

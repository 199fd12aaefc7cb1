import AudioDSP
import AudioIO
import Glibc
import TestSupport
import Testing

@Suite("An equaliser in an engine") struct EqualiserNodeTests {
    private func sine(_ hertz: Double, sampleRate: Int = 48_000, count: Int) -> [Float] {
        (0..<count).map { Float(0.25 * cos(2 * .pi * hertz * Double($0) / Double(sampleRate))) }
    }

    /// An engine in which the sound passes the equaliser alone.
    private func engine(_ equaliser: Equaliser, sampleRate: Int = 48_000) throws -> Engine {
        let engine = try Engine(offline: sampleRate, inputs: 1, outputs: 1)
        engine.attach(equaliser)
        try engine.connect(engine.input, to: equaliser)
        try engine.connect(equaliser, to: engine.output)
        try engine.start()
        return engine
    }

    @Test func `without bands passes every bit`() throws {
        var generator = SeededGenerator(seed: 1)
        let signal = generator.signal(count: 3000)
        let equaliser = Equaliser([EqualiserBand(.peak), EqualiserBand(.notch, isOn: false)])
        #expect(try engine(equaliser).render(signal) == signal)
        #expect(equaliser.response(atHertz: [0, 1000, 24_000]) == [0, 0, 0])
    }

    @Test(arguments: [44_100, 96_000])
    func `does what its response says, at the engine's rate`(_ sampleRate: Int) throws {
        let equaliser = Equaliser([
            EqualiserBand(.lowShelf, hertz: 200, decibels: 6), EqualiserBand(.peak, hertz: 3000, q: 2, decibels: -9),
            EqualiserBand(.highPass, hertz: 30),
        ])
        let engine = try engine(equaliser, sampleRate: sampleRate)
        let frequencies = [50.0, 200, 1000, 3000, 12_000]
        for (hertz, wanted) in zip(frequencies, equaliser.response(atHertz: frequencies)) {
            let heard = try engine.render(sine(hertz, sampleRate: sampleRate, count: sampleRate / 2))
            // Whole turns of each, after the others have died away.
            let part = heard.suffix(sampleRate / 10)
            let power = part.reduce(0) { $0 + Double($1) * Double($1) } / Double(part.count)
            #expect(abs(10 * log10(power / (0.25 * 0.25 / 2)) - wanted) < 0.01, "\(hertz) Hz")
            #expect(abs(wanted - equaliser.response(atHertz: hertz)) == 0)
        }
        let untouched = Equaliser(equaliser.bands)
        #expect(abs(untouched.response(atHertz: 3000) - equaliser.response(atHertz: 3000)) < 0.1, "48 kHz")
    }

    @Test func `changes without a click, several bands at once, and arrives`() throws {
        let equaliser = Equaliser()
        let engine = try engine(equaliser)
        var heard: [Float] = []
        let changes: [() -> Void] = [
            {}, { equaliser.bands = [EqualiserBand(.highShelf, hertz: 50, decibels: 12)] },
            { equaliser.bands[0].kind = .lowPass }, { equaliser.change { $0 += [EqualiserBand(.peak, decibels: 9)] } },
            { equaliser.change { bands in for index in bands.indices { bands[index].isOn = false } } },
        ]
        for change in changes {
            change()
            heard += try engine.render(sine(100, count: 9600))
        }
        // At its loudest, 12 dB up, the sine rises by 0.013 in a frame, and a fade of 5 ms adds 0.005.
        #expect(heard.largestStep < 0.02)
        #expect(heard.suffix(1000) == sine(100, count: 9600).suffix(1000))
    }

    @Test func `keeps 32 bands, within their ranges`() throws {
        let equaliser = Equaliser((0..<40).map { EqualiserBand(.peak, hertz: Double(100 + $0), decibels: 1) })
        #expect(equaliser.bands.count == 32 && equaliser.bands.last?.hertz == 131)
        equaliser.change { $0 += [EqualiserBand(.notch)] }
        #expect(equaliser.bands.count == 32 && Equaliser.maximumBands == 32)
        equaliser.bands[0].q = .nan
        equaliser.bands[1].decibels = 90
        #expect(equaliser.bands[0].q == 0.5.squareRoot() && equaliser.bands[1].decibels == 24)
    }

    @Test func `keeps its bands from one engine to the next, and starts with silence behind it`() throws {
        let equaliser = Equaliser([EqualiserBand(.lowPass, hertz: 100, q: 20)])
        let first = try engine(equaliser)
        _ = try first.render(ones(1000))
        first.detach(equaliser)
        equaliser.bands[0].hertz = 200
        let second = try engine(equaliser)
        let fresh = try engine(Equaliser([EqualiserBand(.lowPass, hertz: 200, q: 20)])).render(ones(2000))
        #expect(try second.render(ones(2000)) == fresh)
        second.stop()
        try second.start()
        #expect(try second.render(ones(2000)) == fresh, "after a restart, too")
    }
}

import AudioDSP
import TestSupport
import Testing

@Suite("A shaper's table")
struct ShapeTableTests {
    private func points(_ pairs: [(Float, Float)]) -> [ShapeTable.Point] {
        pairs.map { ShapeTable.Point(x: $0.0, y: $0.1) }
    }

    private func throughTable(_ input: [Float], _ table: ShapeTable, _ mode: Antialiasing = .off) -> [Float] {
        shaped(input, Shaping(.table, mode), table: table)
    }

    @Test("goes through its points, in straight lines between them, and stays where it is beyond")
    func piecesAreStraight() throws {
        let table = try ShapeTable(points([(-2, 0.5), (-1, -1), (0, 0), (2, 0.25)]))
        let input: [Float] = [-9, -2, -1.5, -1, -0.5, 0, 1, 2, 1e13]
        let wanted: [Float] = [0.5, 0.5, -0.25, -1, -0.5, 0, 0.125, 0.25, 0.25]
        #expect(zip(throughTable(input, table), wanted).allSatisfy { abs($0 - $1) <= 1e-6 })
    }

    @Test("with a point between the lines of its grid is off by a quarter of a cell times its change of slope at most")
    func gridMovesCornersLittle() throws {
        let corner: Float = 0.3003
        let table = try ShapeTable(points([(-1, -1), (corner, 0), (1, 5)]))
        let slopes = (before: 1 / (1 + corner), after: 5 / (1 - corner))
        let bound = 2 / 2048 / 4 * (slopes.after - slopes.before) + 1e-6
        let input = (0..<4000).map { 0.3 + Float($0) * 1e-6 }
        let errors = zip(input, throughTable(input, table)).map { x, y in
            abs(y - (x < corner ? (x - corner) * slopes.before : (x - corner) * slopes.after))
        }
        #expect((errors.max() ?? 1) <= bound)
    }

    @Test("of many points is looked up as of few, with means that are exact at any distance")
    func meansAreExact() throws {
        // The line x / 2: the mean between two samples is half of their own, whatever lies between.
        let line = (0...2000).map { number in
            let x = Float(number) / 1000 - 1
            return ShapeTable.Point(x: x, y: x / 2)
        }
        let table = try ShapeTable(line)
        var generator = SeededGenerator(seed: 420)
        var input = generator.signal(count: 500)
        for exponent in -40 ... -1 { input += [0.25, 0.25 + Float(sign: .plus, exponent: exponent, significand: 1)] }
        input += [1e-30, -1e-30, 1e-20, 0, -0.0, 1, -1]
        let output = throughTable(input, table, .adaa)
        for index in 1..<input.count {
            #expect(abs(output[index] - (input[index - 1] + input[index]) / 4) <= 1e-6)
        }
    }

    @Test("beyond its ends counts each part of the way by its length")
    func meansBeyondTheEnds() throws {
        let table = try ShapeTable(points([(0, 0.25), (1, 0.75)]))
        let output = throughTable([-3, 5, 2, 2, -1, -2], table, .adaa)
        // From −3 to 5: 3 of 8 at ¼, 1 at ½, 4 at ¾.
        let wanted: [Float] = [(0.75 + 0.5 + 3) / 8, 0.75, 0.75, (0.25 + 0.5 + 0.75) / 3, 0.25]
        #expect(zip(output.dropFirst(), wanted).allSatisfy { abs($0 - $1) <= 1e-6 })
    }

    @Test("is refused where its points make no curve, with the reason and the point")
    func badPointsAreRefused() {
        let cases: [([(Float, Float)], ShapeTable.Failure)] = [
            ([], .tooFewPoints(0)), ([(0, 0)], .tooFewPoints(1)),
            ([(0, 0), (.nan, 1)], .notFinite(point: 1)), ([(0, .infinity), (1, 1)], .notFinite(point: 0)),
            ([(0, 0), (1, 1), (2, 2e6)], .notFinite(point: 2)), ([(0, 0), (0, 1)], .notIncreasing(point: 1)),
            ([(0, 0), (2, 1), (1, 2)], .notIncreasing(point: 2)),
            ((0...ShapeTable.largestCount).map { (Float($0), 0) }, .tooManyPoints(ShapeTable.largestCount + 1)),
        ]
        for (pairs, failure) in cases {
            #expect(throws: failure) { try ShapeTable(points(pairs)) }
        }
    }

    @Test("is the hard limit where none was given")
    func withoutATableItIsHard() {
        var generator = SeededGenerator(seed: 421)
        let input = generator.signal(count: 200, magnitude: 2)
        for mode in Antialiasing.allCases {
            let hard = shaped(input, Shaping(.hard, mode))
            let differences = zip(shaped(input, Shaping(.table, mode)), hard).map { abs($0 - $1) }
            #expect((differences.max() ?? 1) <= 2e-6, "\(mode.name)")
        }
    }
}

import AudioDSP
import Foundation
import TestSupport
import Testing

/// What a model in double precision makes of a signal, kept in `Reference/waveshaper.json`, and the same signal.
struct ShaperReference: Decodable, Equatable {
    /// What comes out, at the end of the signal.
    struct Output: Decodable, Equatable {
        var shaping: Shaping
        var samples: [Double]

        init(from decoder: any Decoder) throws {
            var fields = try decoder.unkeyedContainer()
            shaping = try fields.decodeShaping()
            samples = try fields.decode([Double].self)
        }
    }

    /// Decibels from the harmonics of a sine with gain 10 to everything else, up to 20 kHz at 44.1 kHz.
    struct Alias: Decodable, Equatable {
        var shaping: Shaping
        var frequency: Double
        var decibels: Double

        init(from decoder: any Decoder) throws {
            var fields = try decoder.unkeyedContainer()
            shaping = try fields.decodeShaping()
            frequency = try fields.decode(Double.self)
            decibels = try fields.decode(Double.self)
        }
    }

    struct Latency: Decodable, Equatable {
        /// Of any shape but `off`.
        var shaping: Shaping
        var frames: Double

        init(from decoder: any Decoder) throws {
            var fields = try decoder.unkeyedContainer()
            shaping = try fields.decodeShaping(of: Shape.cubic.name)
            frames = try fields.decode(Double.self)
        }
    }

    var gain: Float
    var frames: Int
    /// By the filter's phase, and its stage.
    var filters: [String: [[Float]]]
    var latencies: [Latency]
    var aliases: [Alias]
    var outputs: [Output]

    /// What the shape `table` stands for.
    static let table = try? ShapeTable([
        ShapeTable.Point(x: -1, y: -0.75), ShapeTable.Point(x: -0.25, y: -0.5), ShapeTable.Point(x: 0, y: 0),
        ShapeTable.Point(x: 0.5, y: 0.875), ShapeTable.Point(x: 1, y: 1),
    ])

    /// Multiples of 2⁻²³ from −1 to 1, as the generator makes them.
    var signal: [Float] {
        var random = SeededGenerator(seed: 1)
        return (0..<frames).map { _ in Float(random.next() >> 40) / 8_388_608 - 1 }
    }

    static let kept = try? JSONDecoder().decode(
        ShaperReference.self, from: Data(contentsOf: folder.appending(path: "Reference/waveshaper.json")))

    private static var folder: URL { URL(fileURLWithPath: #filePath).deletingLastPathComponent() }

    /// Debian's, with Debian's numpy.
    private static let python = "/usr/bin/python3"

    static var canGenerate: Bool { (try? Program.output(of: python, ["-c", "import numpy"])) != nil }

    /// What the model makes of it now.
    static func generate() throws -> ShaperReference {
        let made = try Program.output(of: python, ["-B", folder.appending(path: "Reference/waveshaper.py").path])
        return try JSONDecoder().decode(ShaperReference.self, from: #require(made))
    }
}

extension UnkeyedDecodingContainer {
    /// The names of the shape, if it is not given, of the means against aliases, and of the phase.
    fileprivate mutating func decodeShaping(of shape: String? = nil) throws -> Shaping {
        let names = [try shape ?? decode(String.self), try decode(String.self), try decode(String.self)]
        guard let shape = Shape(name: names[0]), let mode = Antialiasing(name: names[1]),
            let phase = FilterPhase(name: names[2])
        else { throw DecodingError.dataCorruptedError(in: self, debugDescription: "\(names) is no way of shaping") }
        return Shaping(shape, mode, phase)
    }
}

extension Shaping: CustomTestStringConvertible {
    public var testDescription: String { "\(shape.name), \(antialiasing.name), \(phase.name)" }

    /// Every combination that makes a difference.
    static let all = Shape.allCases.flatMap { shape in
        Antialiasing.allCases.flatMap { mode in FilterPhase.allCases.map { Shaping(shape, mode, $0) } }
    }.reduce(into: [Shaping]()) { found, shaping in
        if !found.contains(shaping) { found.append(shaping) }
    }
}

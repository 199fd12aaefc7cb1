import AudioDSP
import TestSupport
import Testing

@Suite("The make-up gain")
struct MakeUpGainTests {
    /// Below, the asymmetric curve's distance from its centre is no more than a few roundings.
    private static let drives = stride(from: -90.0, through: 60, by: 0.5).map { Decibels.linear($0) }

    @Test(
        "is that of a sine of −12 dB, to 0.02 dB at any drive",
        arguments: Shape.allCases.filter { $0 != .off && $0 != .fold })
    func gainIsTheReferences(_ shape: Shape) {
        var shaper = AntialiasedShaper(channels: 1)
        for drive in Self.drives {
            let error =
                Decibels.decibels(Double(shaper.makeUpGain(for: shape, drive: Float(drive))))
                - Decibels.decibels(makeUpGain(shape, drive))
            #expect(abs(error) <= 0.02, "\(shape.name) at \(drive): \(error) dB")
        }
    }

    /// Its level comes and goes with each fold.
    @Test func `follows a folder's level through every fold, to 0.05 dB`() {
        var shaper = AntialiasedShaper(channels: 1)
        for drive in Self.drives {
            let error =
                Decibels.decibels(Double(shaper.makeUpGain(for: .fold, drive: Float(drive))))
                - Decibels.decibels(makeUpGain(.fold, drive))
            #expect(abs(error) <= 0.05, "at \(drive): \(error) dB")
        }
    }

    @Test func `is none without a shape, and finite whatever the drive and the table`() throws {
        let deaf = try ShapeTable([
            ShapeTable.Point(x: -1, y: -1), ShapeTable.Point(x: -0.5, y: 0), ShapeTable.Point(x: 0.5, y: 0),
            ShapeTable.Point(x: 1, y: 1),
        ])
        let constant = try ShapeTable([ShapeTable.Point(x: -1, y: 0.5), ShapeTable.Point(x: 1, y: 0.5)])
        for table in [deaf, constant] {
            var shaper = AntialiasedShaper(channels: 1, table: table)
            for shape in Shape.allCases {
                for drive: Float in [0, -1, 1e-30, 1e-6, 1, 1e3, 1e13] {
                    let gain = shaper.makeUpGain(for: shape, drive: drive)
                    #expect(gain.isFinite && gain > 0, "\(shape.name) at \(drive)")
                }
            }
            #expect(shaper.makeUpGain(for: .off, drive: 8) == 1)
        }
        var deafShaper = AntialiasedShaper(channels: 1, table: deaf)
        #expect(deafShaper.makeUpGain(for: .table, drive: 1) == 16)
        // What is constant of a table is heard: it counts.
        var constantShaper = AntialiasedShaper(channels: 1, table: constant)
        let level = constantShaper.makeUpGain(for: .table, drive: 1e-6)
        #expect(abs(level - 0.353_553) < 1e-4)
    }
}

import AudioDSP
import AudioFigures
import AudioFiles
import AudioRealtime
import AudioReports
import CommandSyntax
import Threads

/// The curve that `--shape` and its companions ask for.
enum ConvertShaper {
    static let shape = TypedOption<Shape?>.choice(
        "shape", "SHAPE", Shape.allCases, \.name, usual: Shape.off.name,
        "\(Shape.allCases.map(\.name).listed("or")): put it through a curve")
    static let drive = Option(
        ShaperSetting.drive.info, "gain into the curve", more: "; given without --shape, it sets the shape to cubic")
    static let antialias = TypedOption<Antialiasing>.choice(
        "antialias", "MODE", Antialiasing.allCases, \.name, initial: .best, "against the curve's aliases",
        isListed: true)

    /// - Returns: it, and the file of it, which only the shape `table` has; `nil` for none.
    static func curve(_ arguments: Arguments) throws(Failure) -> (shaping: FileShaping, tablePath: String?)? {
        let drive = try arguments.number(of: ShaperSetting.drive.info)
        let (shape, path) = try arguments.curve(try arguments.value(of: Self.shape))
        let antialiasing = try arguments.value(of: Self.antialias)
        for option in [Self.drive, Self.antialias.option] {
            try arguments.require(
                !arguments.has(option) || shape != .off,
                "--\(option.name) is of a curve: name one, as in --shape tanh", of: option.name, "shape")
        }
        guard shape != .off else { return nil }
        return (FileShaping(shape, driveDecibels: drive, antialiasing: antialiasing), path)
    }
}

extension Arguments {
    /// What `--shape`, `--shape-table` and `--drive` come to, and the file of the curve, which only the shape `table` has.
    ///
    /// - Parameters:
    ///   - given: as `--shape`; `nil` where that is not there.
    ///   - keepsTable: whether there may be a table beside another shape, to be changed to later.
    package func curve(
        _ given: Shape?, keepsTable: Bool = false
    ) throws(Failure) -> (shape: Shape, tablePath: String?) {
        let path = try file(ShapeTableFile.option())
        // A drive without a curve would do nothing, which nobody asks for.
        let usual: Shape = has(ShaperSetting.drive.info) ? .cubic : .off
        let shape = given ?? (path == nil ? usual : .table)
        try require(
            (shape == .table) == (path != nil) || (keepsTable && path != nil),
            path == nil
                ? "--shape table needs its curve: --shape-table FILE"
                : "--shape-table is for --shape table: leave one out", of: "shape", "shape-table")
        return (shape, path)
    }
}

/// A curve in a file of text: a line for each point, x and y with a space, a tab, a comma or a semicolon between them.
/// Empty lines and what follows a `#` say nothing.
package struct ShapeTableFile {
    /// - Parameter more: what is to be said of the points.
    package static func option(_ more: String = "") -> Option {
        Option("shape-table", "FILE", "the curve of the shape table: a line for each point, x and y\(more)")
    }

    package let table: ShapeTable

    /// As much as the longest table with two long numbers in each line, and some comments.
    private static let longestBytes = 1 << 22

    /// - Parameter seconds: so long may a pipe's writer take; without one it is empty.
    /// - Throws: `cannotRead`, `malformed`.
    package init(_ path: String, withinSeconds seconds: Double = 60) throws(FileError) {
        let lines = try Self.lines(path, seconds)
        var points: [ShapeTable.Point] = []
        /// The line of each point, and the last one.
        var places: [Int] = []
        for (number, line) in lines.enumerated() {
            let words = line.prefix { $0 != "#" }.split { $0.isWhitespace || $0 == "," || $0 == ";" }
            if words.isEmpty { continue }
            guard words.count == 2, let x = Double(decimal: words[0]), let y = Double(decimal: words[1]) else {
                throw .malformed(path: path, line: number + 1, reason: "it is not two numbers, x and y")
            }
            points.append(ShapeTable.Point(x: Float(x), y: Float(y)))
            places.append(number + 1)
        }
        places.append(max(1, lines.count))
        do {
            table = try ShapeTable(points)
        } catch {
            let (point, reason) = Self.reason(error)
            throw .malformed(path: path, line: places[min(point, places.count - 1)], reason: reason)
        }
    }

    /// Which point is wrong, and why.
    private static func reason(_ failure: ShapeTable.Failure) -> (point: Int, reason: String) {
        switch failure {
        case .tooFewPoints(let count): (count, "a curve takes 2 points at least, and here it ends with \(count)")
        case .tooManyPoints: (ShapeTable.largestCount, "a curve has \(ShapeTable.largestCount) points at most")
        case .notFinite(let point):
            (point, "a coordinate lies within ±\(fixed(Double(ShapeTable.largestCoordinate), 0))")
        case .notIncreasing(let point): (point, "x must be greater than in the point before")
        }
    }

    private static func lines(_ path: String, _ seconds: Double) throws(FileError) -> [Substring] {
        let bytes = try SmallFile.awaitedBytes(
            path, limit: longestBytes + 1, awaitsWriter: false, withinSeconds: seconds)
        guard bytes.count <= longestBytes else { throw .malformed(path: path, line: 1, reason: "the file is too long") }
        let text = String(decoding: bytes, as: UTF8.self).unicodeScalars
        // Editors of Windows write a byte order mark.
        let lines = Substring(text.first == "\u{feff}" ? text.dropFirst() : text[...])
        return lines.split(omittingEmptySubsequences: false) { $0.isNewline }
    }
}

import AudioDSP
import AudioFigures
import AudioFiles
import AudioRealtime
import CommandSyntax

/// The curve that `--shape` and its companions ask for.
struct ConvertShaper {
    static let shape = TypedOption<Shape?>.choice(
        "shape", "SHAPE", Shape.allCases, \.name, usual: Shape.off.name,
        "\(Shape.allCases.map(\.name).listed("or")): put it through a curve")
    static let antialias = TypedOption<Antialiasing>.choice(
        "antialias", "MODE", Antialiasing.allCases, \.name, initial: .best, "against the curve's aliases",
        isListed: true)

    private(set) var shaping: FileShaping?
    private(set) var tablePath: String?

    init(_ arguments: Arguments) throws(Failure) {
        let drive = try arguments.number(of: ShaperSetting.drive.info)
        let (shape, path) = try arguments.curve(try arguments.value(of: Self.shape))
        let antialiasing = try arguments.value(of: Self.antialias)
        for option in ["drive", "antialias"] {
            try arguments.require(
                !arguments.has(option) || shape != .off, "--\(option) is of a curve: name one, as in --shape tanh",
                of: option,
                "shape")
        }
        guard shape != .off else { return }
        tablePath = path
        shaping = FileShaping(shape, driveDecibels: drive, antialiasing: antialiasing)
    }
}

extension Arguments {
    /// What `--shape`, `--shape-table` and `--drive` come to, and the file of the curve, which only the shape `table` has.
    ///
    /// - Parameter given: as `--shape`; `nil` where that is not there.
    package func curve(_ given: Shape?) throws(Failure) -> (shape: Shape, tablePath: String?) {
        let path = try file("shape-table")
        // A drive without a curve would do nothing, which nobody asks for.
        let usual: Shape = has("drive") ? .cubic : .off
        let shape = given ?? (path == nil ? usual : .table)
        try require(
            (shape == .table) == (path != nil),
            path == nil
                ? "--shape table needs its curve: --shape-table FILE"
                : "--shape-table is for --shape table: leave one out", of: "shape", "shape-table")
        return (shape, path)
    }
}

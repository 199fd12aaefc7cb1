import AudioDSP
import AudioFiles
import AudioRealtime
import CommandSyntax
import TerminalPages

/// The curve that `--shape` and its companions ask for.
struct ConvertShaper {
    private(set) var shaping: FileShaping?
    private(set) var tablePath: String?

    init(_ arguments: Arguments) throws(Failure) {
        let name = try arguments.choice("shape")
        let path = arguments.value("shape-table")
        let drive = try arguments.value(of: ShaperSetting.drive.info)?.number
        let mode = try arguments.choice("antialias")
        // As of iounit monitor.
        let usual: Shape = drive == nil ? .off : .cubic
        let shape = name.flatMap { Shape(name: $0) } ?? (path == nil ? usual : .table)
        try arguments.require(path != "", "--shape-table needs the name of a file", of: "shape-table")
        try arguments.require(
            (shape == .table) == (path != nil),
            path == nil
                ? "--shape table needs its curve: --shape-table FILE"
                : "--shape-table is for --shape table: leave one out", of: "shape", "shape-table")
        for (option, isGiven) in [("drive", drive != nil), ("antialias", mode != nil)] {
            try arguments.require(
                !isGiven || shape != .off, "--\(option) is of a curve: name one, as in --shape tanh", of: option,
                "shape")
        }
        guard shape != .off else { return }
        tablePath = path
        shaping = FileShaping(
            shape, driveDecibels: drive ?? 0, antialiasing: mode.flatMap { Antialiasing(name: $0) } ?? .best)
    }
}

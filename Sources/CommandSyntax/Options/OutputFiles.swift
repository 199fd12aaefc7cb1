import AudioReports
import Threads

extension Option {
    /// `--force` of a subcommand that writes files.
    ///
    /// - Parameter files: the options that name them; empty where arguments do.
    package static func force(_ does: String = "replace files that exist", of files: [String] = []) -> Option {
        Option(flag: "force", does).needs(files).kept(.run)
    }
}

/// Files that a subcommand writes, by the options that name them.
extension Arguments {
    /// The name of a file to write; `nil` where the option was not given.
    package func file(_ name: String) throws(Failure) -> String? {
        try require(value(name) != "", "--\(name) needs the name of a file", of: name)
        return value(name)
    }

    /// Complains where two of the options name the same file, or one of them a file that is to be read.
    package func requireFilesApart(_ names: [String]) throws(Failure) {
        var taken = operands.reduce(into: [:]) { $0[FilePath($1).resolved] = "the argument \"\(shown($1))\"" }
        for name in names {
            guard let path = value(name), !path.isEmpty else { continue }
            let place = FilePath(path).resolved
            if let other = taken[place] {
                throw Failure(
                    .usage, "\(other) and --\(name) name the same file; give each its own",
                    options: names.filter { value($0).map { FilePath($0).resolved } == place })
            }
            taken[place] = "--\(name)"
        }
    }
}

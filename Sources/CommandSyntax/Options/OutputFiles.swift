import AudioReports

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
        var taken = Dictionary(operands.map { (OutputOptions.place($0), shownOperand($0)) }) { first, _ in first }
        for name in names {
            guard let path = value(name), !path.isEmpty else { continue }
            let place = OutputOptions.place(path)
            if let other = taken[place] {
                throw usage("\(other) and --\(name) name the same file; give each its own", of: name)
            }
            taken[place] = "--\(name)"
        }
    }

    private func shownOperand(_ path: String) -> String { "the argument \"\(shown(path))\"" }
}

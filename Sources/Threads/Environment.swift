import Glibc

/// The variables that this process was started with.
package enum Environment {
    /// What a variable says; `nil` where there is none of that name. Thread: any, as nothing of ours changes one.
    package static subscript(name: String) -> String? { unsafe getenv(name).map { unsafe String(cString: $0) } }

    /// All of them, by name.
    package static var all: [String: String] {
        var all: [String: String] = [:]
        var place = unsafe environ
        // SAFETY: a list of texts that ends with none.
        while let text = unsafe place.pointee {
            let pair = unsafe String(cString: text).split(
                separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            if pair.count == 2 { all[String(pair[0])] = String(pair[1]) }
            unsafe place += 1
        }
        return all
    }
}

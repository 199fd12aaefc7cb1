/// Which version this is. The one place of it: manual pages, packages, reports and recordings take it from here.
package enum Release {
    package static let version = "0.1.0"
    /// The day of that version, as in the README's list of changes.
    package static let date = "2026-11-23"
}

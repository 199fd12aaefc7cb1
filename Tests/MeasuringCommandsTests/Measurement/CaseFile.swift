import Foundation
import FoundationXML

/// What a reader of JUnit's XML sees of a file. One that is not well-formed is an error.
struct CaseFile {
    private let document: XMLDocument

    init(reading path: String) throws { document = try XMLDocument(contentsOf: URL(fileURLWithPath: path)) }

    /// Names of the cases.
    var cases: [String] { names(at: "//testcase") }
    /// Names of those that failed, and of those that did not come to their end.
    var failures: [String] { names(at: "//testcase[failure]") }
    var errors: [String] { names(at: "//testcase[error]") }

    private func names(at path: String) -> [String] {
        let nodes = (try? document.nodes(forXPath: path)) ?? []
        return nodes.compactMap { ($0 as? XMLElement)?.attribute(forName: "name")?.stringValue }
    }
}

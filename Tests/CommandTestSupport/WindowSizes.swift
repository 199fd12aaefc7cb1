import TerminalPages
import Testing

/// In windows of many sizes no line of a page is wider than the window, and no page longer.
///
/// - Parameter draw: makes the lines of the page that it is given.
package func expectFits(_ location: SourceLocation = #_sourceLocation, _ draw: (Page) -> [String]) {
    for columns in [1, 10, 20, 24, 40, 60, 80, 140, 200] {
        for rows in [1, 2, 3, 5, 10, 12, 16, 24, 40, 50, 60] {
            let lines = draw(Page(columns: columns, rows: rows, hasColor: false, hasUnicode: true, hasKeys: true))
            let width = lines.map { TerminalPages.columns(of: $0) }.max() ?? 0
            #expect(
                lines.count <= rows && width <= columns, "in \(columns) columns and \(rows) rows: \(lines)",
                sourceLocation: location)
        }
    }
}

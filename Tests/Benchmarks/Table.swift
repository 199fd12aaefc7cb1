import Foundation

/// Columns of text: the first to the left, the others to the right.
struct Table {
    let text: String

    init(_ head: [String], _ rows: [[String]]) {
        let lines = [head] + rows
        let widths = head.indices.map { column in lines.map { $0[column].count }.max() ?? 0 }
        text = lines.map { line in
            zip(line, widths).enumerated().map { column, cell in
                let padding = String(repeating: " ", count: cell.1 - cell.0.count)
                return column == 0 ? cell.0 + padding : padding + cell.0
            }
            .joined(separator: "  ")
        }
        .joined(separator: "\n")
    }
}

extension Double {
    /// With so many digits after the point.
    func text(_ digits: Int) -> String { String(format: "%.\(digits)f", self) }
}

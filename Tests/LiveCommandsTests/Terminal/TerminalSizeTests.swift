import Glibc
import Testing

@testable import TerminalPages

@Suite("The size of a terminal") struct TerminalSizeTests {
    @Test(arguments: [
        (1, 1, (1, 1)), (80, 0, (80, 0)), (500, 200, (500, 200)), (65535, 65535, (2000, 1000)),
    ])
    func `is what it says, but no more than a picture can be made of`(
        _ columns: UInt16, _ rows: UInt16, _ most: (columns: Int, rows: Int)
    ) throws {
        let terminal = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
        try #require(terminal >= 0)
        defer { close(terminal) }
        var window = winsize(ws_row: rows, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0)
        try #require(ioctl(terminal, UInt(TIOCSWINSZ), &window) == 0)
        let size = try #require(Terminal.size(of: terminal))
        #expect(size == most)
    }
}

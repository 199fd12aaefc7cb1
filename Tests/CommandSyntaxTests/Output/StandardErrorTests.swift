import CommandTestSupport
import TestSupport
import Testing

@Suite("A message on the standard error") struct StandardErrorTests {
    /// A machine that is too busy to let the thread write that writes messages.
    private static let busy = """
        #define _GNU_SOURCE
        #include <dlfcn.h>
        #include <unistd.h>
        ssize_t write(int file, const void *bytes, size_t count) {
            ssize_t (*real)(int, const void *, size_t) = dlsym(RTLD_NEXT, "write");
            if (file == STDERR_FILENO) sleep(2);
            return real(file, bytes, count);
        }
        """

    @Test func `is waited for longer on a busy machine than for a reader that takes nothing`() throws {
        let folder = try TemporaryFolder()
        let run = try CommandRun(["hum"], environment: Preload.environment(Self.busy, in: folder))
        #expect(try run.end() == 64)
        #expect(run.err.hasPrefix("iounit: there is no subcommand"), "\(run.err)")
    }
}

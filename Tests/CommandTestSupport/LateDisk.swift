import TestSupport

/// A disk that takes all that is written, and says at a close that it is full, as a network's do: made in the program's own
/// `close`, because no other disk can be persuaded to.
package enum LateDisk {
    private static let code = """
        #define _GNU_SOURCE
        #include <dlfcn.h>
        #include <errno.h>
        #include <stdlib.h>
        #include <sys/stat.h>
        int close(int file) {
            int (*real)(int) = dlsym(RTLD_NEXT, "close");
            struct stat closed, full;
            int is_full = fstat(file, &closed) == 0 && stat(getenv("IOUNIT_TEST_FULL"), &full) == 0
                && closed.st_dev == full.st_dev && closed.st_ino == full.st_ino;
            int result = real(file);
            if (!is_full) return result;
            errno = EDQUOT;
            return -1;
        }
        """

    /// What a program's environment must have, so that a file is on such a disk.
    ///
    /// - Parameter folder: for what is compiled.
    package static func environment(_ path: String, in folder: TemporaryFolder) throws -> [String: String] {
        try Preload.environment(code, in: folder, ["IOUNIT_TEST_FULL": path])
    }
}

import Foundation
import Testing
import Threads

@Suite("A child process") struct ChildProcessTests {
    @Test func `a program that does not answer in time is ended, and one that fails has not answered`() {
        #expect(ChildProcess.answer(["sh", "-c", "echo yes"], deadlineSeconds: 20) == "yes\n")
        #expect(ChildProcess.answer(["sleep", "600"], deadlineSeconds: 0.05) == nil)
        // One that says nothing more, and goes on: its deadline ends it.
        #expect(ChildProcess.answer(["sh", "-c", "exec >&-; exec sleep 600"], deadlineSeconds: 0.05) == nil)
        #expect(ChildProcess.answer(["sh", "-c", "echo no; exit 3"], deadlineSeconds: 20) == nil)
        #expect(ChildProcess.answer(["no-such-program"], deadlineSeconds: 20) == nil)
        // Longer than the test's own patience.
        #expect(ChildProcess.answer(["sleep", "3600"], deadlineSeconds: 3600) { true } == nil)
    }

    @Test func `what it has left behind in another session is known by its mark, and ended`() throws {
        let mark = ProcessMark()
        // The shell waits until the other one has a session of its own, and says nothing more. That one waits for nothing: it is
        // to be ended, and ends after ten minutes where it is not found.
        let script = "setsid sh -c 'echo begun; exec > /dev/null; sleep 600; true' &"
        let outcome = ChildProcess.run(
            ["sh", "-c", "said=$(\(script)); echo $said"], environment: mark.added(to: Environment.all),
            deadlineSeconds: 20)
        #expect(outcome.end == .exited(0) && String(decoding: outcome.bytes, as: UTF8.self) == "begun\n")
        #expect(!mark.processes.isEmpty)
        mark.endAll()
        #expect(mark.processes.isEmpty)
        #expect(ProcessMark().processes.isEmpty)
    }

    @Test func `tells how it came to its end`() {
        #expect(ChildProcess.run(["sh", "-c", "exit 3"], deadlineSeconds: 20).end == .exited(3))
        #expect(ChildProcess.run(["sh", "-c", "kill -TERM $$"], deadlineSeconds: 20).end == .signalled(SIGTERM))
        #expect(ChildProcess.run(["sleep", "600"], deadlineSeconds: 0.05).end == .late)
        #expect(ChildProcess.run(["sleep", "600"], deadlineSeconds: 20) { true }.end == .stopped)
        // Without end: what is read of it has one.
        let flooding = ChildProcess.run(["cat", "/dev/zero"], deadlineSeconds: 60)
        #expect(flooding.end == .flooding && flooding.end.inWords == "it wrote more than 16 MB")
    }

    /// As where SIGCHLD is ignored: a test cannot ignore it, because other tests wait for children of theirs.
    @Test func `one that somebody else has reaped has ended, and nobody knows how`() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("iounit-child-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let (number, go) = (folder.appendingPathComponent("number").path, folder.appendingPathComponent("go").path)
        // The script waits for the test's file, and the test's deadline ends it.
        let script = "echo $$ > \"$0\"; while [ ! -e \"$1\" ]; do sleep 0.01; done; echo said"
        var hasReaped = false
        let outcome = ChildProcess.run(["sh", "-c", script, number, go], deadlineSeconds: 60) {
            guard !hasReaped, let line = SmallFile.text(number), line.hasSuffix("\n"),
                let child = pid_t(line.dropLast())
            else { return false }
            _ = FileManager.default.createFile(atPath: go, contents: nil)
            var status: CInt = 0
            hasReaped = true
            #expect(waitpid(child, &status, 0) == child && status == 0)
            return false
        }
        #expect(outcome.end == .unknown)
        #expect(String(decoding: outcome.bytes, as: UTF8.self) == "said\n")
    }
}
